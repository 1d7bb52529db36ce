import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { asApiError } from '@/api/problem';
import { Countdown } from '@/ui/Countdown';
import { useErrorText } from '@/ui/useErrorText';

/** Why a form was refused; after too many tries also how long to wait. */
export function Problem({ error, at, title }: { error: unknown; at?: number; title?: string }) {
  const { t } = useTranslation('identity');
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const { retryAfter, status } = asApiError(error);
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      {errorText(error)}
      {status === 429 && retryAfter !== null && at !== undefined && (
        <div>
          {t(($) => $.retryIn)} <Countdown until={at + retryAfter * 1000} />
        </div>
      )}
    </Alert>
  );
}
