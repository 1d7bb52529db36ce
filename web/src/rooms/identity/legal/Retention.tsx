import { Skeleton, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

/** How long what is kept, as the server's jobs delete it. */
export function Retention() {
  const { t } = useTranslation('legal');
  const { data, error, refetch } = $api.useQuery('get', '/privacy/retention');
  if (error && !data) return <ErrorCard what={t(($) => $.retention.what)} error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={{ base: 1100, sm: 850 }} />;
  const time = (seconds: number | null | undefined) => {
    if (seconds == null) return t(($) => $.retention.ever);
    if (seconds >= DAY) return t(($) => $.retention.days, { count: seconds / DAY });
    return seconds === 0
      ? t(($) => $.retention.soon)
      : t(($) => $.retention.hours, { count: seconds / HOUR });
  };
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={6}>
        {t(($) => $.retention.hint)}
      </Text>
      <Table aria-label={t(($) => $.retention.title)} verticalSpacing={6}>
        <Table.Tbody>
          {data.data.map(({ what, seconds }) => (
            <Table.Tr key={what}>
              <Table.Th scope="row" fw={400} fz="sm">
                {t(($) => $.retention.kept[what])}
              </Table.Th>
              <Table.Td ta="right" fz="sm" style={{ whiteSpace: 'nowrap' }}>
                {time(seconds)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
