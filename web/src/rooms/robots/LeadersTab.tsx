import { Badge, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inOrder, useLicences } from '@/live/licences';
import { useOwnLicences } from '@/live/useOwnLicences';
import { MemberFace } from '@/shared/people/MemberFace';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare } from '@/ui/money';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { follow, type Leader, useFollowings } from './copying';

/** Robots that others may copy, with what they lost and those that have ended. */
export function LeadersTab() {
  const { t } = useTranslation('robots');
  const format = useFormat();
  const list = useList('/trader/leaders', { prefix: 'l-', sortby: 'return', filters: ['search'] });
  const [chosen, setChosen] = useState<Leader | null>(null);
  useOwnLicences();
  const reason = (row: Leader) => {
    if (!row.open) return t(($) => $.leaders.isClosed);
    return row.own ? t(($) => $.leaders.own) : undefined;
  };
  const money = (key: string, label: string, of: (row: Leader) => string, sign = false): Column<Leader> => ({
    key,
    label,
    align: 'right',
    render: (row) => <Money value={of(row)} unit={false} sign={sign} />,
  });
  const number = (key: string, label: string, of: (row: Leader) => number): Column<Leader> => ({
    key,
    label,
    align: 'right',
    sort: key,
    render: (row) => <span className="num">{format.count(of(row))}</span>,
  });
  const columns: Column<Leader>[] = [
    {
      key: 'name',
      label: t(($) => $.leaders.name),
      fixed: true,
      render: (row) => (
        <Group gap={6}>
          <Text fw={600} fz="sm" component="div">
            <MemberFace username={row.name} />
          </Text>
          {row.highRisk && (
            <Badge size="xs" color="red" variant="light">
              {t(($) => $.leaders.highRisk)}
            </Badge>
          )}
          {!row.open && (
            <Badge size="xs" color="gray">
              {t(($) => $.leaders.closed)}
            </Badge>
          )}
          <ModeBadge mode={row.mode} size="xs" />
        </Group>
      ),
    },
    {
      key: 'return',
      label: t(($) => $.leaders.return),
      align: 'right',
      sort: 'return',
      fixed: true,
      render: (row) => <span className="num">{row.return ? format.percent(row.return, 2, true) : '–'}</span>,
    },
    money(
      'gains',
      t(($) => $.leaders.gains),
      (row) => row.gains,
    ),
    money(
      'losses',
      t(($) => $.leaders.losses),
      (row) => row.losses,
    ),
    money(
      'net',
      t(($) => $.leaders.net),
      (row) => row.net,
      true,
    ),
    number(
      'operations',
      t(($) => $.leaders.operations),
      (row) => row.operations,
    ),
    number(
      'days',
      t(($) => $.leaders.days),
      (row) => row.days,
    ),
    number(
      'followers',
      t(($) => $.leaders.followers),
      (row) => row.followers,
    ),
    {
      key: 'follow',
      label: t(($) => $.leaders.follow),
      align: 'right',
      fixed: true,
      render: (row) => (
        <GuardedButton
          size="xs"
          variant="light"
          allowed={reason(row) === undefined}
          reason={reason(row)}
          onClick={() => setChosen(row)}
        >
          {t(($) => $.leaders.follow)}
        </GuardedButton>
      ),
    },
  ];
  return (
    <>
      <List
        list={list}
        name="leaders"
        label={t(($) => $.leaders.title)}
        columns={columns}
        what={t(($) => $.leaders.what)}
        fields={[{ kind: 'search', name: 'search' }]}
        dim={(row) => !row.open}
        empty={<EmptyState title={t(($) => $.leaders.empty)} hint={t(($) => $.leaders.emptyHint)} />}
      />
      {chosen && <Follow leader={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

/** With which of one's own robots, and how much it may lose. */
function Follow({ leader, onClose }: { leader: Leader; onClose: () => void }) {
  const { t } = useTranslation('robots');
  const { usdt } = useFormat();
  const followings = useFollowings();
  const busy = new Set(
    followings.data?.filter((one) => one.state === 'active').map((one) => one.licence) ?? [],
  );
  const free = inOrder(useLicences((book) => book.byId)).filter(
    (one) => one.state === 'active' && !one.manualKey && !busy.has(one._id),
  );
  const [licence, setLicence] = useState<string | null>(null);
  const [loss, setLoss] = useState('');
  const robot = free.find((one) => one._id === licence);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.leaders.followTitle, { name: leader.name })}
      facts={[
        { label: t(($) => $.leaders.net), value: <Money value={leader.net} sign /> },
        { label: t(($) => $.leaders.losses), value: <Money value={leader.losses} /> },
        {
          label: t(($) => $.leaders.worstDay),
          value: leader.worstDay ? <Money value={leader.worstDay} sign /> : '–',
        },
      ]}
      consequence={t(($) => $.leaders.consequence)}
      confirmLabel={t(($) => $.leaders.follow)}
      ready={
        robot !== undefined && loss !== '' && compare(loss, '1') >= 0 && compare(loss, robot.allocated) <= 0
      }
      onConfirm={async () => {
        if (!robot) return;
        await follow({ licence: robot._id, leader: leader._id, maximumLoss: loss });
        toast.success(t(($) => $.leaders.following, { name: leader.name }));
      }}
    >
      <Stack gap="sm">
        <Select
          label={t(($) => $.leaders.robot)}
          placeholder={free.length === 0 ? t(($) => $.leaders.noRobot) : undefined}
          data={free.map((one) => ({
            value: one._id,
            label: `${t(($) => $.name, { number: one.number })} · ${usdt(one.allocated)}`,
          }))}
          value={licence}
          onChange={setLicence}
          required
        />
        <MoneyInput
          label={t(($) => $.copy.maximumLoss)}
          description={t(($) => $.leaders.lossHint)}
          value={loss}
          onChange={setLoss}
          max={robot?.allocated}
          required
        />
        <RiskNotice />
      </Stack>
    </ConfirmDialog>
  );
}
