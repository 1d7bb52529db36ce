import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { asApiError } from '@/api/problem';

interface ErrorCardProps {
  /** What could not be loaded, as it stands in a sentence: "os depósitos". */
  what: string;
  /** In place of the sentence with it. */
  title?: string;
  error?: unknown;
  onRetry?: (() => unknown) | undefined;
}

/** A failure of one card, readable, with a way to try again. */
export function ErrorCard({ what, title, error, onRetry }: ErrorCardProps) {
  const { t } = useTranslation();
  const cause =
    error === undefined
      ? null
      : errorText(
          error,
          t(($) => $.error.network),
        );
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      role="alert"
      data-testid="error-card"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text fz="sm" fw={600}>
            {title ?? t(($) => $.error.load, { what })}
          </Text>
          {cause && (
            <Text fz="sm" c="dimmed">
              {cause}
            </Text>
          )}
        </div>
        {onRetry && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            onClick={() => void onRetry()}
          >
            {t(($) => $.actions.retry)}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The server's own sentence when it sent one (it is in the reader's language), else that it was not reached. */
export function errorText(thrown: unknown, unreachable: string): string {
  const error = asApiError(thrown);
  return error.status === 0 ? unreachable : error.message;
}
