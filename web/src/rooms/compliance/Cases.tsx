import { Anchor, Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useLiveEvent } from '@/live/live';
import { PersonHandle, PersonLink } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { CaseDrawer } from './CaseDrawer';
import { CASES, type Case, isDecidedHere, screenOf } from './cases';

export const TABS = { open: 'open', decided: 'decided', all: '', related: '', pauses: '' } as const;
export type Tab = keyof typeof TABS;

/** Cases: open ones first, oldest first. */
export function Cases({ tab }: { tab: Tab }) {
  const { t } = useTranslation('compliance');
  const status = TABS[tab];
  const list = useList(CASES, {
    filters: ['tab', 'search', 'startDate', 'endDate'],
    own: ['tab'],
    sorts: 'never',
    ask: () => (status ? { status } : {}),
    file: true,
  });
  const [open, setOpen] = useState<Case | null>(null);
  useLiveEvent('compliance_case.changed', ({ case: fresh }) => {
    setOpen((shown) => (shown?._id === fresh._id && shown.version < fresh.version ? fresh : shown));
  });
  const flow = (row: Case) => t(($) => $.flow[row.flow as 'transfer']);
  const reason = (name: string) => t(($) => $.reason[name as 'amount']);
  const columns: Column<Case>[] = [
    {
      key: 'opened',
      label: status === 'open' ? t(($) => $.age) : t(($) => $.opened),
      fixed: true,
      render: (row) => <When at={row.openedAt} relative={row.status === 'open'} />,
    },
    {
      key: 'user',
      label: t(($) => $.user),
      fixed: true,
      render: (row) => (
        <div>
          <Text fz="sm" fw={600}>
            <PersonLink id={row.user} username={row.username} />
          </Text>
          {row.counterparty && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.with, { name: row.counterparty })}
            </Text>
          )}
        </div>
      ),
    },
    { key: 'flow', label: t(($) => $.movement), render: flow },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      render: (row) => <Money value={row.value} digits={4} unit={false} />,
    },
    {
      key: 'reasons',
      label: t(($) => $.why),
      render: (row) => (
        <Group gap={4}>
          {row.reasons.map((name) => (
            <Badge key={name} size="sm" variant="light" color="gold">
              {reason(name)}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => (
        <div>
          <StatusBadge status={row.status} />
          {row.decidedBy && (
            <Text fz="xs" c="dimmed">
              <PersonHandle username={row.decidedBy} />
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'waits',
      label: t(($) => $.waits),
      render: (row) => {
        const screen = screenOf(row);
        if (row.status !== 'open' || !screen) return '–';
        return (
          <Anchor component={Link} to={screen} fz="sm">
            {isDecidedHere(row) ? t(($) => $.see) : t(($) => $.decideThere)}
          </Anchor>
        );
      },
    },
  ];
  return (
    <>
      <List
        list={list}
        name="conformidade"
        label={t(($) => $.title)}
        what={t(($) => $.what)}
        columns={columns}
        onOpen={setOpen}
        dim={(row) => status === 'open' && row.status !== 'open'}
        fields={[{ kind: 'search', name: 'search', label: t(($) => $.search) }]}
        empty={
          status === 'open' ? (
            <EmptyState title={t(($) => $.emptyOpen)} hint={t(($) => $.emptyOpenHint)} />
          ) : (
            <EmptyState title={t(($) => $.empty)} />
          )
        }
      />
      <CaseDrawer row={open} onClose={() => setOpen(null)} />
    </>
  );
}
