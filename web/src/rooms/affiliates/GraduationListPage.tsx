import { SimpleGrid, Stack } from '@mantine/core';
import { IconMedal } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useDeciding } from '@/live/useDeciding';
import { Standing } from '@/shared/decisions/QueueScreen';
import { Brief } from '@/shared/payments/Brief';
import { PersonCell } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { BonusPayment } from './BonusPayment';
import { type Graduation, payWord } from './graduations';
import { useWords } from './words';

/** /graduation-list: ranks that were reached, whether their bonus is paid, and its payment over the chain. */
export default function GraduationListPage() {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const list = useList(QUEUES.graduationBonuses.list, {
    filters: ['isActive', 'isBonusPaid', 'isWaiting', 'startDate', 'endDate'],
    file: true,
  });
  const [open, setOpen] = useState<string | null>(null);
  const deciding = useDeciding(QUEUES.graduationBonuses);
  const columns: Column<Graduation>[] = [
    {
      key: 'date',
      label: t(($) => $.staff.graduation.reached),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    {
      key: 'user',
      label: t(($) => $.staff.user),
      sort: 'username',
      fixed: true,
      render: (row) => <PersonCell person={row} />,
    },
    {
      key: 'rank',
      label: t(($) => $.rank),
      sort: 'rank',
      fixed: true,
      render: (row) => words.rank(row.rank),
    },
    {
      key: 'threshold',
      label: t(($) => $.staff.graduation.threshold),
      align: 'right',
      render: (row) => <span className="num">{words.points(row.threshold)}</span>,
    },
    {
      key: 'active',
      label: t(($) => $.staff.graduation.member),
      render: (row) => <StatusBadge status={row.isActive ? 'active' : 'inactive'} />,
    },
    {
      key: 'bonus',
      label: t(($) => $.staff.graduation.bonus),
      align: 'right',
      sort: 'bonus',
      render: (row) => <Money value={row.bonus} digits={4} unit={false} />,
    },
    {
      key: 'paid',
      label: t(($) => $.staff.graduation.payment),
      render: (row) => (
        <Standing
          status={payWord(row)}
          approvals={
            row.payment?.status === 'pending' && {
              given: row.payment.approvals,
              needed: row.payment.approvalsNeeded,
            }
          }
          decider={deciding.get(row._id)}
        />
      ),
    },
    {
      key: 'hash',
      label: t(($) => $.staff.graduation.hash),
      render: (row) =>
        row.bonusPaymentHash ? (
          <Brief text={row.bonusPaymentHash} label={t(($) => $.staff.graduation.copyHash)} />
        ) : (
          '–'
        ),
    },
  ];
  const answers = (yes: string, no: string) => [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.graduation.title)}
        subtitle={t(($) => $.staff.graduation.subtitle)}
        live
      />
      {list.data && list.data.metrics.length > 0 && (
        <SimpleGrid cols={{ base: 2, lg: 4 }}>
          {list.data.metrics.map(({ rank, count, unpaid, bonus }) => (
            <StatTile
              key={rank}
              label={words.rank(rank)}
              value={format.count(count)}
              hint={t(($) => $.staff.graduation.unpaid, {
                unpaid: format.count(unpaid),
                bonus: format.usdt(bonus),
              })}
              icon={<IconMedal size={20} />}
            />
          ))}
        </SimpleGrid>
      )}
      <List
        list={list}
        name="graduacoes"
        label={t(($) => $.staff.graduation.title)}
        what={t(($) => $.staff.graduation.what)}
        columns={columns}
        fields={[
          {
            kind: 'select',
            name: 'isActive',
            label: t(($) => $.staff.graduation.member),
            options: answers(
              t(($) => $.staff.graduation.active),
              t(($) => $.staff.graduation.inactive),
            ),
          },
          {
            kind: 'select',
            name: 'isBonusPaid',
            label: t(($) => $.staff.graduation.payment),
            options: answers(
              t(($) => $.staff.graduation.paid),
              t(($) => $.staff.graduation.notPaid),
            ),
          },
          {
            kind: 'select',
            name: 'isWaiting',
            label: t(($) => $.staff.graduation.second),
            options: answers(
              t(($) => $.staff.graduation.waits),
              t(($) => $.staff.graduation.waitsNot),
            ),
          },
        ]}
        onOpen={(row) => setOpen(row._id)}
        empty={
          <EmptyState
            icon={<IconMedal size={26} stroke={1.5} />}
            title={t(($) => $.staff.graduation.empty)}
            hint={t(($) => $.staff.graduation.emptyHint)}
          />
        }
      />
      <BonusPayment
        row={list.rows?.find(({ _id }) => _id === open) ?? null}
        deciding={open ? deciding.get(open) : undefined}
        onClose={() => setOpen(null)}
      />
    </Stack>
  );
}
