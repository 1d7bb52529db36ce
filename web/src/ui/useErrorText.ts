import { useTranslation } from 'react-i18next';
import { errorText } from './ErrorCard';

/** Turns anything thrown by a call into a sentence for the reader. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) =>
    errorText(
      error,
      t(($) => $.error.network),
    );
}
