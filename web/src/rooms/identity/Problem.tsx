import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { asApiError } from '@/api/problem';
import { Countdown } from '@/ui/Countdown';
import { useErrorText } from '@/ui/useErrorText';

interface ProblemProps {
  error: unknown;
  at?: number;
  title?: string;
  /** What to do about a refusal whose own words only name it, by its code. */
  instead?: Readonly<Record<string, string>>;
}

/** The server says longer waits itself. */
const SAID_AFTER = 60;

/** Why a form was refused; after too many tries also how long to wait. */
export function Problem({ error, at, title, instead }: ProblemProps) {
  const { t } = useTranslation('identity');
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const { retryAfter, status, code } = asApiError(error);
  const text = instead?.[code] ?? errorText(error);
  return (
    <Alert color="red" variant="light" role="alert" title={title === text ? undefined : title}>
      <span>{text}</span>
      {status === 429 && retryAfter !== null && retryAfter <= SAID_AFTER && at !== undefined && (
        <div>
          <span>{t(($) => $.retryIn)}</span> <Countdown until={at + retryAfter * 1000} />
        </div>
      )}
    </Alert>
  );
}
