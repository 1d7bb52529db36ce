import { useTranslation } from 'react-i18next';
import { asApiError, ProfileError } from '@/api/problem';
import { errorText } from './ErrorCard';

/** Turns anything thrown by a call into a sentence for the reader. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) =>
    error instanceof ProfileError
      ? t(($) => $.error.profile)
      : errorText(
          error,
          t(($) => $.error.network),
        );
}

/** The same of what was to be saved: where the server gave no reason of its own, it is said first that nothing was. */
export function useSaveText(): (error: unknown) => string {
  const { t } = useTranslation();
  const text = useErrorText();
  return (thrown) => {
    const error = asApiError(thrown);
    if (!error.unexplained || thrown instanceof ProfileError) return text(thrown);
    const failed = t(($) => $.error.save);
    // A proxy's page says nothing that a reader could use.
    return error.code === 'unknown' ? `${failed}.` : `${failed}. ${text(thrown)}`;
  };
}
