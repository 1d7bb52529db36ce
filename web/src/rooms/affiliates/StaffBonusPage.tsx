import { Stack } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Days } from '@/shared/payments/Days';
import { MemberFace } from '@/shared/people/MemberFace';
import { PersonLink } from '@/shared/people/PersonCell';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { BonusDrawer, useOpenBonus } from './BonusDrawer';
import { BonusTiles } from './BonusTiles';
import { BonusTypes } from './BonusTypes';
import { BONUS_TYPES } from './types';
import { useBonusColumns } from './useBonusColumns';
import { useWords } from './words';

type Row = Schemas['BonusReportRow'];

/** /bonus-report: everybody's bonuses. */
export default function StaffBonusPage() {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const list = useList('/admin/bonus-report', {
    filters: ['search', 'bonusType', 'startDate', 'endDate'],
    file: true,
  });
  const [date, ...rest] = useBonusColumns<Row>();
  const columns: Column<Row>[] = [
    ...(date ? [date] : []),
    {
      key: 'user',
      label: t(($) => $.bonus.receiver),
      sort: 'username',
      fixed: true,
      render: (row) => (
        <MemberFace username={row.username}>
          <PersonLink id={row.receiver} username={row.username} />
        </MemberFace>
      ),
    },
    ...rest,
  ];
  const [opened, open] = useOpenBonus();
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.staff.bonus.title)} subtitle={t(($) => $.staff.bonus.subtitle)} />
      <BonusTiles totals={list.data?.totals} loading={list.isPending} />
      <Days
        title={t(($) => $.bonus.perDay)}
        count={t(($) => $.bonus.number)}
        total={t(($) => $.bonus.received)}
        days={list.data?.days}
      />
      <List
        list={list}
        name="relatorio-bonus"
        label={t(($) => $.staff.bonus.title)}
        what={t(($) => $.bonus.what)}
        columns={columns}
        onOpen={({ _id }) => open(_id)}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.staff.search) },
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
            title={t(($) => $.staff.bonus.empty)}
            hint={t(($) => $.staff.bonus.emptyHint)}
          />
        }
      />
      <BonusTypes totals={list.data?.totals} />
      <BonusDrawer id={opened} rows={list.data?.data} staff onClose={() => open(null)} />
    </Stack>
  );
}
