import { Card, Skeleton, Text } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useRelatedColumns } from '@/shared/people/useRelatedColumns';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { ShortTable } from '@/ui/ShortTable';
import { RELATED } from './people';

/** What this account has in common with others: a sign, no proof. */
export function RelatedOf({ id }: { id: string }) {
  const { t } = useTranslation('lists');
  const columns = useRelatedColumns(id);
  const answer = $api.useQuery('get', RELATED, { params: { path: { id } } });
  if (answer.error && !answer.data)
    return <ErrorCard what={t(($) => $.related.what)} error={answer.error} onRetry={answer.refetch} />;
  if (!answer.data) return <Skeleton h={180} radius="lg" />;
  const rows = answer.data.data;
  return (
    <Card>
      {rows.length === 0 ? (
        <EmptyState
          icon={<IconUsersGroup size={26} stroke={1.5} />}
          title={t(($) => $.related.empty)}
          hint={t(($) => $.related.hint)}
        />
      ) : (
        <>
          <Text fz="sm" c="dimmed" mb="sm">
            {t(($) => $.related.hint)}
          </Text>
          <ShortTable
            label={t(($) => $.related.title)}
            rows={rows}
            rowKey={({ _id }) => _id}
            columns={columns}
          />
        </>
      )}
    </Card>
  );
}
