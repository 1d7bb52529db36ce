import { Alert, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** docs/rules/web.md#messages */
const SECONDS = 4;

/** Something worth a glance: closes by itself in 4 s, paused by pointer or focus. What must stay is not one of these. */
export function InfoAlert({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  const { t } = useTranslation();
  const [left, setLeft] = useState(SECONDS);
  const [held, setHeld] = useState(false);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (held) return;
    const timer = setInterval(() => setLeft((seconds) => seconds - 1), 1000);
    return () => clearInterval(timer);
  }, [held]);
  useEffect(() => {
    if (left <= 0) close();
  }, [left]);
  return (
    <Alert
      color="blue"
      variant="light"
      role="status"
      icon={<IconInfoCircle size={18} aria-hidden />}
      withCloseButton
      closeButtonLabel={t(($) => $.actions.dismiss)}
      onClose={onClose}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {children}
      <Text fz="xs" c="dimmed" className="num" aria-hidden>
        {t(($) => $.alert.closesIn, { seconds: Math.max(0, left) })}
      </Text>
    </Alert>
  );
}
