import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { decideRound, type StaffRound } from './exchange';
import { RoundDialog } from './RoundDialog';

const COLORS: Record<string, string> = { proposed: 'gold', agreed: 'mint', withdrawn: 'gray' };
const wordOf = (status: string) =>
  status === 'agreed' || status === 'withdrawn' ? status : ('proposed' as const);

/** /administrator/presale: rounds are proposed by one person and sell once another agrees to the same terms. */
export default function StaffRoundsPage() {
  const { t } = useTranslation('exchange');
  const me = useUser()?._id;
  const list = useList(QUEUES.rounds.list, { sorts: 'never' });
  const [editing, setEditing] = useState<StaffRound | 'new' | null>(null);
  const [asking, setAsking] = useState<{ what: 'agree' | 'withdraw'; round: StaffRound } | null>(null);
  const columns: Column<StaffRound>[] = [
    {
      key: 'number',
      label: t(($) => $.staff.round),
      fixed: true,
      render: (row) => row.number,
    },
    {
      key: 'price',
      label: t(($) => $.presale.price),
      align: 'right',
      fixed: true,
      render: (row) => <Money value={row.price} digits={4} />,
    },
    {
      key: 'sold',
      label: t(($) => $.staff.soldOf),
      align: 'right',
      render: (row) => (
        <div>
          <Money value={row.sold} currency="PYX" digits={2} unit={false} /> /{' '}
          <Money value={row.supply} currency="PYX" digits={2} unit={false} />
        </div>
      ),
    },
    {
      key: 'raised',
      label: t(($) => $.staff.raised),
      align: 'right',
      render: (row) => <Money value={row.raised} digits={4} unit={false} />,
    },
    {
      key: 'buyers',
      label: t(($) => $.staff.buyers),
      align: 'right',
      render: (row) => row.buyers,
    },
    {
      key: 'time',
      label: t(($) => $.staff.time),
      render: (row) => (
        <div>
          <When at={row.startsAt} /> – <When at={row.endsAt} />
        </div>
      ),
    },
    {
      key: 'vesting',
      label: t(($) => $.staff.vesting),
      render: (row) => t(($) => $.staff.vestingOf, { cliff: row.cliffDays, days: row.vestingDays }),
    },
    {
      key: 'status',
      label: t(($) => $.orders.status),
      render: (row) => (
        <div>
          <Badge color={COLORS[row.status] ?? 'gray'}>{t(($) => $.staff.word[wordOf(row.status)])}</Badge>
          <Text fz="xs" c="dimmed">
            <PersonHandle id={row.proposedBy} username={row.proposedName} />
            {row.agreedName && (
              <>
                {' · '}
                <PersonHandle username={row.agreedName} />
              </>
            )}
          </Text>
          {row.status === 'proposed' && row.editable && row.proposedBy !== me && (
            <OwnWord subject={{ kind: 'money_settings', id: row._id }} />
          )}
        </div>
      ),
    },
    {
      key: 'act',
      label: t(($) => $.orders.act),
      render: (row) =>
        row.editable ? (
          <Group gap={6}>
            {row.status === 'proposed' && row.proposedBy !== me && (
              <Button size="compact-sm" onClick={() => setAsking({ what: 'agree', round: row })}>
                {t(($) => $.staff.agree)}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => setEditing(row)}>
              {t(($) => $.staff.edit)}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setAsking({ what: 'withdraw', round: row })}
            >
              {t(($) => $.staff.withdraw)}
            </Button>
          </Group>
        ) : null,
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.title)}
        subtitle={t(($) => $.staff.subtitle)}
        action={
          <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setEditing('new')}>
            {t(($) => $.staff.propose)}
          </Button>
        }
      />
      <List
        list={list}
        name="rodadas-pyx"
        label={t(($) => $.staff.title)}
        what={t(($) => $.staff.what)}
        columns={columns}
        dim={(row) => row.status === 'withdrawn'}
        empty={<EmptyState title={t(($) => $.staff.none)} hint={t(($) => $.staff.noneHint)} />}
      />
      {editing && <RoundDialog round={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {asking && <Ask {...asking} onClose={() => setAsking(null)} />}
    </Stack>
  );
}

/** The second person's half, or the end of a round that has not begun. */
function Ask({
  what,
  round,
  onClose,
}: {
  what: 'agree' | 'withdraw';
  round: StaffRound;
  onClose: () => void;
}) {
  const { t } = useTranslation('exchange');
  const format = useFormat();
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.staff[what === 'agree' ? 'agreeTitle' : 'withdrawTitle'], { number: round.number })}
      facts={[
        { label: t(($) => $.presale.price), value: <Money value={round.price} digits={6} /> },
        {
          label: t(($) => $.presale.supply),
          value: <Money value={round.supply} currency="PYX" digits={6} />,
        },
        { label: t(($) => $.presale.cap), value: <Money value={round.cap} currency="PYX" digits={6} /> },
        { label: t(($) => $.staff.starts), value: format.dateTime(round.startsAt) },
        { label: t(($) => $.staff.ends), value: format.dateTime(round.endsAt) },
        {
          label: t(($) => $.staff.vesting),
          value: t(($) => $.staff.vestingOf, { cliff: round.cliffDays, days: round.vestingDays }),
        },
        { label: t(($) => $.staff.by), value: <MemberName username={round.proposedName} /> },
      ]}
      consequence={t(($) => $.staff[what === 'agree' ? 'agreeNote' : 'withdrawNote'])}
      confirmLabel={t(($) => $.staff[what])}
      danger={what === 'withdraw'}
      onConfirm={async () => {
        await decideRound({ id: round._id, revision: round.revision, what });
        toast.success(t(($) => $.staff[what === 'agree' ? 'agreed' : 'withdrawn']));
      }}
    />
  );
}
