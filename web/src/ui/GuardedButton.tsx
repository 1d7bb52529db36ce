import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { isLook } from '@/api/look';
import { useFormat } from './format';

interface GuardedButtonProps extends Omit<ButtonProps, 'disabled'> {
  allowed: boolean;
  /** Why not; never disabled without a cause. */
  reason?: string | undefined;
  /** When it opens, if that is known: "Abre em 05/12". */
  opensAt?: string | Date | undefined;
  /** Actions that need the server wait for the connection (default). */
  needsConnection?: boolean;
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  type?: 'button' | 'submit';
  children: ReactNode;
}

/** A button that says why it cannot be pressed: it stays focusable, so that the reason is reachable by keyboard. */
export function GuardedButton(props: GuardedButtonProps) {
  const {
    allowed,
    reason,
    opensAt,
    needsConnection = true,
    onClick,
    type = 'button',
    children,
    ...rest
  } = props;
  const { t } = useTranslation();
  const { date } = useFormat();
  const offline = useOffline() && needsConnection;
  // Where somebody else's account is looked at nothing is sent.
  const looks = isLook && needsConnection;
  const open = allowed && !offline && !looks;
  const cause = looks
    ? t(($) => $.look.refused)
    : offline
      ? t(($) => $.guard.offline)
      : [reason, opensAt && t(($) => $.guard.opens, { date: date(opensAt) })].filter(Boolean).join(' ') ||
        t(($) => $.guard.unavailable);
  const button = (
    <Button
      {...rest}
      type={type}
      aria-disabled={!open || undefined}
      data-disabled={!open || undefined}
      aria-description={open ? undefined : cause}
      onClick={(event) => {
        if (!open) {
          event.preventDefault();
          return;
        }
        onClick?.(event);
      }}
    >
      {children}
    </Button>
  );
  if (open) return button;
  return (
    <Tooltip label={cause} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      {button}
    </Tooltip>
  );
}
