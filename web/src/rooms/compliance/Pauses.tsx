import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { businessDay, DAY_MS, serverNow } from '@/api/clock';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { type Column, DataTable } from '@/ui/DataTable';
import { DayInput } from '@/ui/DayInput';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { decidePause, type Pause, proposePause } from './cases';

const stateOf = (pause: Pause): string =>
  pause.liftedAt ? 'closed' : pause.activeFrom ? 'active' : 'pending_approval';

/** Where outgoing money stands still: proposed by one, agreed by another, lifted by anyone who may decide. */
export function Pauses() {
  const { t } = useTranslation('compliance');
  const format = useFormat();
  const me = useUser()?.username;
  const list = $api.useQuery('get', '/admin/outbound-pauses');
  const [asking, setAsking] = useState<{ what: 'agree' | 'lift'; pause: Pause } | null>(null);
  const [proposing, setProposing] = useState(false);
  const whom = (pause: Pause) => (pause.username ? `@${pause.username}` : t(($) => $.pause.everyone));
  const forAll = list.data?.data.find((one) => !one.username && one.activeFrom && !one.liftedAt);
  const columns: Column<Pause>[] = [
    { key: 'whom', label: t(($) => $.pause.whom), fixed: true, render: whom },
    {
      key: 'reason',
      label: t(($) => $.pause.reason),
      render: (row) => (
        <Text fz="sm" lineClamp={3} maw={320}>
          {row.reason}
        </Text>
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
      render: (row) => `@${row.proposedBy}`,
    },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => (
        <div>
          <StatusBadge status={stateOf(row)} />
          {stateOf(row) === 'pending_approval' && (
            <Text fz="xs" c="dimmed">
              {t(($) => $.pause.oneOfTwo)}
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
        ) : (
          <Group gap={6}>
            {!row.activeFrom && row.proposedBy !== me && (
              <Button size="compact-sm" onClick={() => setAsking({ what: 'agree', pause: row })}>
                {t(($) => $.pause.agree)}
              </Button>
            )}
            {row.username !== me && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setAsking({ what: 'lift', pause: row })}
              >
                {row.activeFrom ? t(($) => $.pause.lift) : t(($) => $.pause.withdraw)}
              </Button>
            )}
          </Group>
        ),
    },
  ];
  return (
    <Stack gap="md">
      {forAll && (
        <Alert color="gold" variant="light" role="status" icon={<IconPlayerPause size={18} aria-hidden />}>
          {t(($) => $.pause.allNow, { review: format.dateTime(forAll.reviewAt) })}
        </Alert>
      )}
      <Group justify="space-between">
        <Text fz="sm" c="dimmed" maw={640}>
          {t(($) => $.pause.hint)}
        </Text>
        <Button
          leftSection={<IconPlayerPause size={17} aria-hidden />}
          variant="default"
          onClick={() => setProposing(true)}
        >
          {t(($) => $.pause.propose)}
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
      <Propose opened={proposing} onClose={() => setProposing(false)} />
      {asking && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(null)}
          title={t(($) => $.pause[asking.what === 'agree' ? 'agreeTitle' : 'liftTitle'])}
          facts={[
            { label: t(($) => $.pause.whom), value: whom(asking.pause) },
            { label: t(($) => $.pause.reason), value: asking.pause.reason },
            { label: t(($) => $.pause.review), value: format.dateTime(asking.pause.reviewAt) },
            { label: t(($) => $.pause.by), value: `@${asking.pause.proposedBy}` },
          ]}
          consequence={t(($) => $.pause[asking.what === 'agree' ? 'agreeNote' : 'liftNote'])}
          confirmLabel={t(($) => $.pause[asking.what])}
          danger={asking.what === 'agree'}
          onConfirm={async () => {
            await decidePause({ id: asking.pause._id, what: asking.what });
            setAsking(null);
            toast.success(t(($) => $.pause[asking.what === 'agree' ? 'agreed' : 'lifted']));
          }}
        />
      )}
    </Stack>
  );
}

/** The first person's half of a pause. */
function Propose({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('compliance');
  const [username, setUsername] = useState('');
  const [review, setReview] = useState('');
  const close = () => {
    setUsername('');
    setReview('');
    onClose();
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={close}
      title={t(($) => $.pause.proposeTitle)}
      consequence={t(($) => $.pause.proposeNote)}
      reason={{ label: t(($) => $.pause.reasonShown), required: true }}
      ready={review !== ''}
      confirmLabel={t(($) => $.pause.propose)}
      danger
      onConfirm={async ({ reason }) => {
        const name = username.trim().replace(/^@/, '');
        await proposePause({ reason, reviewDate: review, ...(name && { username: name }) });
        toast.success(t(($) => $.pause.proposed));
      }}
    >
      <TextInput
        label={t(($) => $.pause.username)}
        description={t(($) => $.pause.usernameHint)}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        maxLength={40}
        autoComplete="off"
        spellCheck={false}
      />
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
