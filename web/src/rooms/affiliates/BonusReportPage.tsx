import { Stack } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Days } from '@/shared/payments/Days';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { BonusDrawer, useOpenBonus } from './BonusDrawer';
import { BonusTiles } from './BonusTiles';
import { BonusTypes } from './BonusTypes';
import { type Bonus, LOG } from './network';
import { BONUS_TYPES } from './types';
import { useBonusColumns } from './useBonusColumns';
import { WithdrawBonus } from './WithdrawBonus';
import { useWords } from './words';

/** /affiliate-network/bonus-report: every bonus, paid or not. */
export default function BonusReportPage() {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const list = useList(LOG, { filters: ['bonusType', 'startDate', 'endDate'], file: true });
  const columns = useBonusColumns<Bonus>();
  const [opened, open] = useOpenBonus();
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.bonus.title)}
        subtitle={t(($) => $.bonus.subtitle)}
        live
        action={<WithdrawBonus />}
      />
      <BonusTiles totals={list.data?.totals} loading={list.isPending} />
      <Days
        title={t(($) => $.bonus.perDay)}
        count={t(($) => $.bonus.number)}
        total={t(($) => $.bonus.received)}
        days={list.data?.days}
      />
      <List
        list={list}
        name="bonus"
        label={t(($) => $.bonus.label)}
        what={t(($) => $.bonus.what)}
        columns={columns}
        onOpen={({ _id }) => open(_id)}
        fields={[
          {
            kind: 'select',
            name: 'bonusType',
            label: t(($) => $.bonus.kind),
            options: BONUS_TYPES.map((type) => ({ value: type.value, label: words.bonus(type) })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconSparkles size={26} stroke={1.5} />}
            title={t(($) => $.bonus.empty)}
            hint={t(($) => $.bonus.emptyHint)}
          />
        }
      />
      <BonusTypes totals={list.data?.totals} />
      <BonusDrawer id={opened} rows={list.data?.data} onClose={() => open(null)} />
    </Stack>
  );
}
