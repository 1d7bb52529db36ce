import { Alert } from '@mantine/core';
import { IconUserOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';

/** Staff switched one's account off: said on every screen with the reason, from the moment on which it happens. */
export function InactiveBanner() {
  const { t } = useTranslation('shell');
  const user = useUser();
  if (user?.status !== 'inactive') return null;
  return (
    <Alert
      color="red"
      variant="light"
      role="status"
      mb="lg"
      icon={<IconUserOff size={18} aria-hidden />}
      title={
        user.statusReason
          ? t(($) => $.inactive.because, { reason: user.statusReason })
          : t(($) => $.inactive.plain)
      }
      data-testid="inactive-banner"
    >
      {t(($) => $.inactive.hint)}
    </Alert>
  );
}
