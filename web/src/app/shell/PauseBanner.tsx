import { Alert } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { useFormat } from '@/ui/format';

/** Outgoing money stands still, one's own or everyone's: said on every screen with its reason and its day of review. */
export function PauseBanner() {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const pause = useUser()?.pause;
  if (!pause) return null;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      mb="lg"
      icon={<IconPlayerPause size={18} aria-hidden />}
      data-testid="pause-banner"
    >
      {t(($) => $.outbound.pause, { reason: pause.reason, review: format.dateTime(pause.reviewAt) })}
    </Alert>
  );
}
