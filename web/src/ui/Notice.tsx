import { Alert, Group, Text, VisuallyHidden } from '@mantine/core';
import { type FocusEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './Notice.module.css';

/** docs/rules/web.md#messages */
export const NOTICE_MS = 4000;
const STEP_MS = 100;

/** What takes Escape before a message does. */
const TAKES_ESCAPE = '[role="dialog"][aria-modal="true"], [aria-expanded="true"]:focus';

interface NoticeProps {
  tone: 'success' | 'danger';
  title?: ReactNode;
  /** By hand, or because its time is over. */
  onClose: () => void;
  children: ReactNode;
}

/** A message in its place on the page that closes itself: its time is shown, and stands still while it is read (pointed at, focused) or
 *  the page is not seen. Escape closes it, wherever the focus is. */
export function Notice({ tone, title, onClose, children }: NoticeProps) {
  const { t } = useTranslation();
  const [left, setLeft] = useState(NOTICE_MS);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const before = useRef<HTMLElement | null>(null);
  const close = () => {
    // Who has come to it with the keys goes on where they were.
    if (focused) before.current?.focus();
    onClose();
  };
  const end = useEffectEvent(close);
  const held = pointed || focused;
  useEffect(() => {
    if (held) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setLeft((ms) => Math.max(0, ms - STEP_MS));
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [held]);
  useEffect(() => {
    if (left === 0) end();
  }, [left]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector(TAKES_ESCAPE)) end();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  const inside = (event: FocusEvent) =>
    event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
  return (
    <Alert
      color={tone === 'danger' ? 'red' : 'mint'}
      variant="light"
      role={tone === 'danger' ? 'alert' : 'status'}
      className={classes.notice ?? ''}
      withCloseButton
      closeButtonLabel={t(($) => $.actions.dismiss)}
      onClose={close}
      title={title}
      data-testid="notice"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={(event) => {
        if (!inside(event))
          before.current = event.relatedTarget instanceof HTMLElement ? event.relatedTarget : null;
        setFocused(true);
      }}
      onBlur={(event) => {
        if (!inside(event)) setFocused(false);
      }}
    >
      {children}
      <VisuallyHidden>{t(($) => $.notice.closes, { seconds: NOTICE_MS / 1000 })}</VisuallyHidden>
      <Group gap={8} mt={6} wrap="nowrap" aria-hidden data-held={held || undefined}>
        <div className={classes.track}>
          <div className={classes.left} style={{ transform: `scaleX(${left / NOTICE_MS})` }} />
        </div>
        <Text fz="xs" c="dimmed" className="num" translate="no">
          {`${Math.ceil(left / 1000)} s`}
        </Text>
      </Group>
    </Alert>
  );
}
