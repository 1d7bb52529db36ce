import { SimpleGrid } from '@mantine/core';
import { IconCircleX, IconHourglass, IconReceiptRefund, IconSparkles } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { subtract, sum } from '@/ui/money';
import { StatTile } from '@/ui/StatTile';
import type { BonusTotal } from './network';

/** What all bonuses that the filters let through add up to. */
export function BonusTiles({
  totals,
  loading,
}: {
  totals: readonly BonusTotal[] | undefined;
  loading: boolean;
}) {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const all = totals ?? [];
  const total = (of: 'paid' | 'waiting' | 'lost' | 'returned') => sum(all.map((one) => one[of]));
  const count = all.reduce((sum, one) => sum + one.count, 0);
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }}>
      <StatTile
        label={t(($) => $.bonus.received)}
        value={<Money value={subtract(total('paid'), total('returned'))} />}
        hint={t(($) => $.bonus.count, { count, shown: format.count(count) })}
        loading={loading}
        icon={<IconSparkles size={20} />}
      />
      <StatTile
        label={t(($) => $.bonus.waiting)}
        value={<Money value={total('waiting')} />}
        hint={t(($) => $.bonus.waitingHint)}
        loading={loading}
        icon={<IconHourglass size={20} />}
      />
      <StatTile
        label={t(($) => $.bonus.missed)}
        value={<Money value={total('lost')} />}
        hint={t(($) => $.bonus.missedHint)}
        loading={loading}
        icon={<IconCircleX size={20} />}
      />
      <StatTile
        label={t(($) => $.bonus.returned)}
        value={<Money value={total('returned')} />}
        hint={t(($) => $.bonus.returnedHint)}
        loading={loading}
        icon={<IconReceiptRefund size={20} />}
      />
    </SimpleGrid>
  );
}
