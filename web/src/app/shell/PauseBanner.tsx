import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { PauseNotice } from '@/shared/status/PauseNotice';

/** Outgoing money stands still, one's own or everyone's: said on every screen with its reason and its day of review. */
export function PauseBanner() {
  const { t } = useTranslation('shell');
  const pause = useUser()?.pause;
  return pause ? (
    <PauseNotice
      pause={pause}
      text={(said) => t(($) => $.outbound.pause, said)}
      testId="pause-banner"
      mb="lg"
    />
  ) : null;
}
