import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { businessDay, DAY_MS, serverNow } from '@/api/clock';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { TakeBack } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { useMemberName } from '@/shared/network/useMemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { type Column, DataTable } from '@/ui/DataTable';
import { DayInput } from '@/ui/DayInput';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { liftPause, PAUSES, type Pause, startPause } from './cases';

const stateOf = (pause: Pause): string => (pause.liftedAt ? 'closed' : 'active');

const THINGS = ['outbound', 'desk', 'sign_ups'] as const satisfies readonly Pause['what'][];

/** What stands still, money, desk or registrations: by one person at once, until two agree that it goes on. */
export function Pauses() {
  const { t } = useTranslation('compliance');
  const format = useFormat();
  const me = useUser()?.username;
  const list = $api.useQuery('get', PAUSES);
  const [ending, setEnding] = useState<Pause | null>(null);
  const [starting, setStarting] = useState(false);
  const nameOf = useMemberName();
  const whom = (pause: Pause) => (pause.username ? nameOf(pause.username) : t(($) => $.pause.everyone));
  const forAll = list.data?.data.filter((one) => !one.username && one.activeFrom && !one.liftedAt) ?? [];
  const columns: Column<Pause>[] = [
    { key: 'what', label: t(($) => $.pause.thing), fixed: true, render: (row) => <Thing pause={row} /> },
    { key: 'whom', label: t(($) => $.pause.whom), fixed: true, render: (row) => <Whom pause={row} /> },
    {
      key: 'reason',
      label: t(($) => $.pause.reason),
      render: (row) => (
        <div>
          <Text fz="sm" lineClamp={3} maw={320}>
            {row.reason}
          </Text>
          {row.liftReason && (
            <Text fz="xs" c="dimmed" lineClamp={3} maw={320}>
              {t(($) => $.pause.liftReasonOf, { reason: row.liftReason })}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'review',
      label: t(($) => $.pause.review),
      render: (row) => <When at={row.reviewAt} />,
    },
    {
      key: 'by',
      label: t(($) => $.pause.by),
      render: (row) => <PersonHandle username={row.proposedBy} />,
    },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => (
        <div>
          <StatusBadge status={stateOf(row)} />
          {row.liftAskedBy && (
            <Text fz="xs" c="dimmed">
              <span>{t(($) => $.pause.liftAsked)}</span> <PersonHandle username={row.liftAskedBy} />
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'act',
      label: t(($) => $.pause.act),
      render: (row) =>
        row.liftedAt ? (
          <When at={row.liftedAt} />
        ) : row.liftAskedBy === me ? (
          <TakeBack kind="pause_lift" id={row._id} />
        ) : (
          row.username !== me && (
            <Button size="compact-sm" variant="default" onClick={() => setEnding(row)}>
              {row.liftAskedBy ? t(($) => $.pause.agree) : t(($) => $.pause.lift)}
            </Button>
          )
        ),
    },
  ];
  return (
    <Stack gap="md">
      {forAll.map((one) => (
        <Alert
          key={one._id}
          color="gold"
          variant="light"
          role="status"
          icon={<IconPlayerPause size={18} aria-hidden />}
        >
          {t(($) => $.pause.now[one.what], { review: format.dateTime(one.reviewAt) })}
        </Alert>
      ))}
      <Group justify="space-between">
        <Text fz="sm" c="dimmed" maw={640}>
          {t(($) => $.pause.hint)}
        </Text>
        <Button
          leftSection={<IconPlayerPause size={17} aria-hidden />}
          variant="default"
          onClick={() => setStarting(true)}
        >
          {t(($) => $.pause.start)}
        </Button>
      </Group>
      <DataTable
        name="pausas"
        label={t(($) => $.tabs.pauses)}
        what={t(($) => $.pause.what)}
        columns={columns}
        rows={list.data?.data}
        rowKey={(row) => row._id}
        error={list.data ? undefined : list.error}
        onRetry={list.refetch}
        dim={(row) => row.liftedAt !== null && row.liftedAt !== undefined}
        empty={<EmptyState title={t(($) => $.pause.none)} hint={t(($) => $.pause.noneHint)} />}
      />
      <Start opened={starting} onClose={() => setStarting(false)} />
      {ending && (
        <ConfirmDialog
          opened
          onClose={() => setEnding(null)}
          title={t(($) => $.pause.liftTitle)}
          facts={[
            { label: t(($) => $.pause.thing), value: t(($) => $.pause.things[ending.what]) },
            { label: t(($) => $.pause.whom), value: whom(ending) },
            { label: t(($) => $.pause.reason), value: ending.reason },
            { label: t(($) => $.pause.review), value: format.dateTime(ending.reviewAt) },
            { label: t(($) => $.pause.by), value: <MemberName username={ending.proposedBy} /> },
            ...(ending.liftReason ? [{ label: t(($) => $.pause.liftReason), value: ending.liftReason }] : []),
          ]}
          consequence={
            ending.liftAskedBy
              ? t(($) => $.pause.liftNote, { username: ending.liftAskedBy })
              : t(($) => $.pause.liftHalfNote)
          }
          {...(!ending.liftReason && {
            reason: { label: t(($) => $.pause.liftReasonShown), required: true },
          })}
          confirmLabel={t(($) => $.pause.lift)}
          onConfirm={async ({ reason }) => {
            const after = await liftPause({ id: ending._id, reason });
            const ended = after.data.find(({ _id }) => _id === ending._id)?.liftedAt;
            setEnding(null);
            toast.success(t(($) => $.pause[ended ? 'lifted' : 'liftHalf']));
          }}
        />
      )}
    </Stack>
  );
}

function Thing({ pause }: { pause: Pause }) {
  const { t } = useTranslation('compliance');
  return <span>{t(($) => $.pause.things[pause.what])}</span>;
}

function Whom({ pause }: { pause: Pause }) {
  const { t } = useTranslation('compliance');
  return pause.username ? (
    <PersonHandle username={pause.username} />
  ) : (
    <span>{t(($) => $.pause.everyone)}</span>
  );
}

function Start({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('compliance');
  const [what, setWhat] = useState<Pause['what']>('outbound');
  const [username, setUsername] = useState('');
  const [review, setReview] = useState('');
  const close = () => {
    setWhat('outbound');
    setUsername('');
    setReview('');
    onClose();
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={close}
      title={t(($) => $.pause.startTitle)}
      consequence={t(($) => $.pause.startNote)}
      reason={{ label: t(($) => $.pause.reasonShown), required: true }}
      ready={review !== ''}
      confirmLabel={t(($) => $.pause.start)}
      danger
      onConfirm={async ({ reason }) => {
        const name = what === 'outbound' ? username.trim().replace(/^@/, '') : '';
        await startPause({
          reason,
          reviewDate: review,
          ...(name && { username: name }),
          ...(what !== 'outbound' && { what }),
        });
        toast.success(t(($) => $.pause.started));
      }}
    >
      <Select
        label={t(($) => $.pause.thing)}
        data={THINGS.map((value) => ({ value, label: t(($) => $.pause.things[value]) }))}
        value={what}
        onChange={(next) => setWhat(THINGS.find((one) => one === next) ?? 'outbound')}
        allowDeselect={false}
      />
      {what === 'outbound' && (
        <TextInput
          label={t(($) => $.pause.username)}
          description={t(($) => $.pause.usernameHint)}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          maxLength={40}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <DayInput
        label={t(($) => $.pause.review)}
        description={t(($) => $.pause.reviewHint)}
        value={review}
        min={businessDay()}
        max={businessDay(serverNow() + 29 * DAY_MS)}
        onChange={setReview}
        required
      />
    </ConfirmDialog>
  );
}
