import { CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './Toaster.module.css';
import { dismissToast, type Toast, useToasts } from './toast';

/** docs/rules/web.md#messages */
export const TOAST_MS = 3000;

const ICONS = { success: IconCircleCheck, info: IconInfoCircle, danger: IconAlertTriangle };

export default function Toaster() {
  const { t } = useTranslation();
  const shown = useToasts((state) => state.shown);
  const [held, setHeld] = useState(false);
  // What is closed under the pointer or with the focus on it tells nobody that they have left.
  const none = shown.length === 0;
  useEffect(() => {
    if (none) setHeld(false);
  }, [none]);
  return (
    <section
      className={classes.region}
      aria-label={t(($) => $.toast.region)}
      aria-live="polite"
      aria-atomic="false"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} held={held} />
      ))}
    </section>
  );
}

function ToastCard({ toast, held }: { toast: Toast; held: boolean }) {
  const { t } = useTranslation();
  const Icon = ICONS[toast.tone];
  // Starts again when released, and when a burst brings a newer text to the same toast.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `at` is the newer text's time.
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismissToast(toast.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [held, toast.id, toast.at]);
  return (
    <div className={classes.toast} data-tone={toast.tone} data-testid="toast">
      <Icon size={19} stroke={1.8} aria-hidden />
      <span className={classes.text}>{toast.text}</span>
      <CloseButton
        size="sm"
        aria-label={t(($) => $.actions.dismiss)}
        onClick={() => dismissToast(toast.id)}
      />
    </div>
  );
}
