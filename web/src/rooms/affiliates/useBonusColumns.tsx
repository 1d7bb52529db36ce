import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { isPositive, subtract } from '@/ui/money';
import { When } from '@/ui/When';
import type { Bonus } from './network';
import { useWords } from './words';

/** What came of a bonus so far: paid, and not taken back. */
export const received = ({ paid, returned }: Bonus) => subtract(paid, returned);

/** Why a bonus is where it is, in a sentence. */
export function useBonusReason() {
  const { t } = useTranslation('affiliates');
  const { t: lists } = useTranslation('lists');
  const format = useFormat();
  const words = useWords();
  const standing = (row: Bonus): string | null => {
    switch (row.status) {
      case 'deferred':
        return t(($) => $.why.deferred, { value: format.usdt(row.waiting, 4) });
      case 'in_review':
        return t(($) => $.why.in_review, {
          reasons: row.reviewReasons
            .map((reason) => lists(($) => $.case.reason[reason as 'same_device']))
            .join(', '),
        });
      case 'young':
        return row.youngUntil ? t(($) => $.why.young, { day: format.dateTime(row.youngUntil) }) : null;
      default:
        return row.lostReason ? words.lost(row.lostReason) : null;
    }
  };
  // Of one that stands a part may have gone back as well.
  const gone = ({ refused, returned, dropped }: Bonus) => [
    isPositive(returned)
      ? t(($) => $.why[refused ? 'refused' : 'taken_back'], { value: format.usdt(returned, 4) })
      : null,
    isPositive(dropped)
      ? t(($) => $.why[refused ? 'refusedDropped' : 'dropped'], { value: format.usdt(dropped, 4) })
      : null,
  ];
  return (row: Bonus): string | null =>
    [standing(row), ...gone(row)].filter((one) => one !== null).join(' · ') || null;
}

/** The columns that receivers and staff share. */
export function useBonusColumns<T extends Bonus>(): Column<T>[] {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const why = useBonusReason();
  return [
    {
      key: 'date',
      label: t(($) => $.bonus.date),
      sort: 'created_at',
      fixed: true,
      render: (row) => <When at={row.created_at} />,
    },
    { key: 'kind', label: t(($) => $.bonus.kind), fixed: true, render: words.bonus },
    {
      key: 'origin',
      label: t(($) => $.bonus.origin),
      render: (row) => (row.source ? <PersonHandle username={row.source} /> : '–'),
    },
    {
      key: 'base',
      label: t(($) => $.bonus.base),
      align: 'right',
      render: (row) => <Base row={row} />,
    },
    {
      key: 'percentage',
      label: '%',
      align: 'right',
      render: (row) => <span className="num">{format.percent(row.percentage)}</span>,
    },
    {
      key: 'gross',
      label: t(($) => $.bonus.value),
      align: 'right',
      sort: 'value',
      render: (row) => <Money value={row.gross} digits={4} unit={false} />,
    },
    {
      key: 'paid',
      label: t(($) => $.bonus.received),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={received(row)} digits={4} unit={false} />,
    },
    {
      key: 'status',
      label: t(($) => $.status),
      fixed: true,
      render: (row) => (
        <Stack gap={2} align="start">
          <StatusBadge status={row.status} />
          {why(row) && (
            <Text fz={12} c="dimmed" maw={220}>
              {why(row)}
            </Text>
          )}
        </Stack>
      ),
    },
  ];
}

/** Points where points were matched, USDT elsewhere. */
export function Base({ row, digits = 4 }: { row: Bonus; digits?: 4 | 6 }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  if (row.kind !== 'binary') return <Money value={row.base} digits={digits} unit={digits === 6} />;
  return <span className="num">{t(($) => $.bonus.pointsBase, { points: words.points(row.base) })}</span>;
}
