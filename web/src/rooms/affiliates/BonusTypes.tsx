import { Card, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { subtract } from '@/ui/money';
import { ShortTable } from '@/ui/ShortTable';
import type { BonusTotal } from './network';
import { useWords } from './words';

/** The sums of each type and level. */
export function BonusTypes({ totals }: { totals: readonly BonusTotal[] | undefined }) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  if (!totals || totals.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="bonus-types">
      <Title order={2} fz={15} mb="sm" id="bonus-types">
        {t(($) => $.bonus.perType)}
      </Title>
      <ShortTable<BonusTotal>
        label={t(($) => $.bonus.perType)}
        rows={totals}
        rowKey={({ kind, level }) => `${kind}${level}`}
        columns={[
          { key: 'kind', label: t(($) => $.bonus.kind), render: words.bonus },
          {
            key: 'count',
            label: t(($) => $.bonus.number),
            figure: true,
            render: (row) => <span className="num">{format.count(row.count)}</span>,
          },
          {
            key: 'gross',
            label: t(($) => $.bonus.value),
            figure: true,
            render: (row) => <Money value={row.gross} digits={4} unit={false} />,
          },
          {
            key: 'received',
            label: t(($) => $.bonus.received),
            figure: true,
            render: (row) => <Money value={subtract(row.paid, row.returned)} digits={4} unit={false} />,
          },
          {
            key: 'waiting',
            label: t(($) => $.bonus.waiting),
            figure: true,
            render: (row) => <Money value={row.waiting} digits={4} unit={false} />,
          },
          {
            key: 'lost',
            label: t(($) => $.bonus.missed),
            figure: true,
            render: (row) => <Money value={row.lost} digits={4} unit={false} />,
          },
          {
            key: 'dropped',
            label: t(($) => $.bonus.dropped),
            figure: true,
            render: (row) => <Money value={row.dropped} digits={4} unit={false} />,
          },
          {
            key: 'returned',
            label: t(($) => $.bonus.returned),
            figure: true,
            render: (row) => <Money value={row.returned} digits={4} unit={false} />,
          },
        ]}
      />
    </Card>
  );
}
