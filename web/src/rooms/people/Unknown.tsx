import { Button, Card, Stack } from '@mantine/core';
import { IconUserQuestion } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { asApiError } from '@/api/problem';
import { useCan } from '@/api/session';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { PageHeader } from '@/ui/PageHeader';

interface UnknownProps {
  id: string;
  error: unknown;
  onRetry: () => unknown;
}

/** Nobody of this id, or they could not be asked for. */
export function Unknown({ id, error, onRetry }: UnknownProps) {
  const { t } = useTranslation('people');
  const lists = useCan('customer-service_list-users');
  const unknown = asApiError(error).status === 404;
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.list.user)} />
      {unknown ? (
        <Card>
          <EmptyState
            icon={<IconUserQuestion size={26} stroke={1.5} />}
            title={t(($) => $.view.unknown, { id })}
            hint={t(($) => $.view.unknownHint)}
            action={
              lists && (
                <Button component={Link} to="/administrator/users/list" variant="default">
                  {t(($) => $.view.all)}
                </Button>
              )
            }
          />
        </Card>
      ) : (
        <ErrorCard
          what={t(($) => $.view.what)}
          title={t(($) => $.view.failed)}
          error={error}
          onRetry={onRetry}
        />
      )}
    </Stack>
  );
}
