import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { ShortTable } from '@/ui/ShortTable';
import { When } from '@/ui/When';

/** What real orders left at the venue, too little for another order: at no value in any book, the house's. */
export function Residues() {
  const { t } = useTranslation('rules');
  const format = useFormat();
  const { data, error, refetch } = $api.useQuery('get', '/admin/trading/live/residues');
  return (
    <Stack component="section" aria-labelledby="residues" gap={6} mt="md">
      <Title order={3} fz={15} id="residues">
        {t(($) => $.residues.title)}
      </Title>
      <Text fz={12.5} c="dimmed">
        {t(($) => $.residues.hint)}
      </Text>
      {error && !data ? (
        <ErrorCard what={t(($) => $.residues.what)} error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton h={40} radius="md" aria-hidden />
      ) : data.assets.length === 0 ? (
        <Text fz="sm">
          {data.booked === 0 ? t(($) => $.residues.never) : t(($) => $.residues.none, { count: data.booked })}
        </Text>
      ) : (
        <>
          <Text fz="sm">
            {t(($) => $.residues.from, { count: data.booked, left: format.count(data.operations) })}
          </Text>
          <ShortTable
            label={t(($) => $.residues.title)}
            rows={data.assets}
            rowKey={({ asset }) => asset}
            columns={[
              { key: 'asset', label: t(($) => $.residues.asset), render: ({ asset }) => asset },
              {
                key: 'amount',
                label: t(($) => $.residues.amount),
                figure: true,
                render: ({ amount }) => <span className="num">{format.exact(amount)}</span>,
              },
              {
                key: 'operations',
                label: t(($) => $.residues.operations),
                figure: true,
                render: ({ operations }) => <span className="num">{format.count(operations)}</span>,
              },
              {
                key: 'last',
                label: t(($) => $.residues.last),
                figure: true,
                render: ({ lastAt }) => <When at={lastAt} />,
              },
            ]}
          />
        </>
      )}
    </Stack>
  );
}
