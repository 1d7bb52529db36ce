import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { PauseNotice } from '@/shared/status/PauseNotice';

/** The desk stands still: said where robots are, with its reason and its day of review. */
export function DeskNotice() {
  const { t } = useTranslation('robots');
  const pause = useUser()?.deskPause;
  return pause ? (
    <PauseNotice pause={pause} text={(said) => t(($) => $.maintenance, said)} testId="desk-notice" />
  ) : null;
}
