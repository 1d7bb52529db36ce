import { Alert } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { useFormat } from '@/ui/format';

/** The desk stands still: said where robots are, with its reason and its day of review. */
export function DeskNotice() {
  const { t } = useTranslation('robots');
  const format = useFormat();
  const pause = useUser()?.deskPause;
  if (!pause) return null;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      icon={<IconPlayerPause size={18} aria-hidden />}
      data-testid="desk-notice"
    >
      {t(($) => $.maintenance, { reason: pause.reason, review: format.dateTime(pause.reviewAt) })}
    </Alert>
  );
}
