import {
  Alert,
  Button,
  Card,
  Group,
  Modal,
  Select,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconListCheck, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { serverNow } from '@/api/clock';
import { $api } from '@/api/hooks';
import { MemberName } from '@/shared/network/MemberName';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { toast } from '@/ui/toast';
import { useNow } from '@/ui/useNow';
import { When } from '@/ui/When';
import {
  changeWhitelist,
  isAddress,
  type NewEntry,
  refetchWhitelist,
  type WhitelistChange,
  type WhitelistEntry,
} from './wallet';

type Kind = WhitelistEntry['kind'];
const KINDS: readonly Kind[] = ['chain', 'pix', 'member'];

/** What a change's code binds: exactly this. */
const bound = (change: WhitelistChange): string =>
  change.what === 'on' || change.what === 'off' ? change.what : `${change.what}:${change.entry.destination}`;

/** Where money may go: once on, nowhere else. */
export function Whitelist({ app }: { app: boolean }) {
  const { t } = useTranslation('web3');
  const byPasskey = useByPasskey();
  const { data: list, error, refetch } = $api.useQuery('get', '/whitelist');
  const [adding, setAdding] = useState(false);
  const [switching, setSwitching] = useState(false);
  const [removing, setRemoving] = useState<WhitelistEntry | null>(null);
  const [change, setChange] = useState<WhitelistChange | null>(null);
  const on = list?.on ?? false;
  const ending = list?.offAt;

  const asked = { purpose: 'whitelist', destination: change ? bound(change) : '' } as const;
  const done = async (code: string) => {
    if (!change) return;
    await changeWhitelist({ ...change, securityCode: code });
    toast.success(t(($) => $.whitelist.done[change.what]));
  };
  const columns: Column<WhitelistEntry>[] = [
    {
      key: 'kind',
      label: t(($) => $.whitelist.kind),
      fixed: true,
      render: (row) => t(($) => $.whitelist.kinds[row.kind]),
    },
    {
      key: 'destination',
      label: t(($) => $.whitelist.destination),
      fixed: true,
      render: (row) => (
        <Text span fz="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          <Destination entry={row} />
        </Text>
      ),
    },
    { key: 'label', label: t(($) => $.whitelist.label), render: (row) => row.label || '–' },
    { key: 'usable', label: t(($) => $.whitelist.usable), render: (row) => <Usable at={row.usableAt} /> },
    {
      key: 'remove',
      label: t(($) => $.whitelist.action),
      render: (row) => (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRemoving(row)}>
          {t(($) => $.whitelist.remove)}
        </Button>
      ),
    },
  ];
  return (
    <Card component="section" aria-labelledby="whitelist">
      <Stack gap="md">
        <Group justify="space-between" align="start">
          <div style={{ flex: '1 1 280px' }}>
            <Title order={2} fz={17} id="whitelist">
              {t(($) => $.whitelist.title)}
            </Title>
            <Text fz="sm" c="dimmed" mt={4}>
              {t(($) => $.whitelist.hint)}
            </Text>
          </div>
          {list && (
            <Switch
              label={on ? t(($) => $.whitelist.on) : t(($) => $.whitelist.off)}
              checked={on}
              disabled={Boolean(ending)}
              onChange={() => setSwitching(true)}
            />
          )}
        </Group>
        {ending && (
          <Alert color="gold" variant="light" role="status">
            <span>{t(($) => $.whitelist.ending)}</span>{' '}
            <Countdown until={ending} onEnd={() => void refetchWhitelist()} />
            <Group mt="xs">
              <Button size="xs" variant="default" onClick={() => setSwitching(true)}>
                {t(($) => $.whitelist.keep)}
              </Button>
            </Group>
          </Alert>
        )}
        {list ? (
          <DataTable
            name="destinos"
            label={t(($) => $.whitelist.title)}
            what={t(($) => $.what.whitelist)}
            columns={columns}
            rows={list.entries}
            rowKey={(row) => row._id}
            empty={
              <EmptyState
                icon={<IconListCheck size={26} stroke={1.5} />}
                title={t(($) => $.whitelist.empty)}
                hint={t(($) => $.whitelist.emptyHint)}
              />
            }
          />
        ) : error ? (
          <ErrorCard what={t(($) => $.what.whitelist)} error={error} onRetry={refetch} />
        ) : (
          <Skeleton height={120} />
        )}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={17} aria-hidden />}
            onClick={() => setAdding(true)}
            disabled={!list}
          >
            {t(($) => $.whitelist.add)}
          </Button>
        </Group>
      </Stack>
      <AddDialog
        opened={adding}
        onClose={() => setAdding(false)}
        onAdd={(entry) => {
          setAdding(false);
          setChange({ what: 'add', entry });
        }}
      />
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={t(($) => $.whitelist.removeTitle)}
        facts={
          removing
            ? [{ label: t(($) => $.whitelist.destination), value: <Destination entry={removing} /> }]
            : []
        }
        consequence={on ? t(($) => $.whitelist.removeHint) : undefined}
        confirmLabel={t(($) => $.whitelist.remove)}
        danger
        onConfirm={async () => {
          if (removing) setChange({ what: 'remove', entry: removing });
        }}
      />
      <ConfirmDialog
        opened={switching}
        onClose={() => setSwitching(false)}
        title={on && !ending ? t(($) => $.whitelist.offTitle) : t(($) => $.whitelist.onTitle)}
        consequence={on && !ending ? t(($) => $.whitelist.offHint) : t(($) => $.whitelist.onHint)}
        confirmLabel={on && !ending ? t(($) => $.whitelist.turnOff) : t(($) => $.whitelist.turnOn)}
        danger={on && !ending}
        onConfirm={async () => {
          setChange({ what: on && !ending ? 'off' : 'on' });
        }}
      />
      <CodeDialog
        opened={change !== null}
        onClose={() => setChange(null)}
        title={t(($) => $.whitelist.codeTitle)}
        hint={app ? t(($) => $.code.app) : t(($) => $.code.mail)}
        {...(!app && {
          onSend: () => api.POST('/security-code', { body: asked }),
        })}
        {...byPasskey(asked)}
        onCode={done}
      />
    </Card>
  );
}

/** Where it leads: a member as members are called, all else as it is. */
function Destination({ entry }: { entry: WhitelistEntry }) {
  if (entry.kind === 'member') return <MemberName username={entry.destination} />;
  return <span translate="no">{entry.destination}</span>;
}

/** Ready, or how long it still waits. */
function Usable({ at }: { at: string }) {
  const { t } = useTranslation('web3');
  const waits = Date.parse(at) > useNow(1000, serverNow);
  if (!waits)
    return (
      <>
        <span>{t(($) => $.whitelist.since)}</span> <When at={at} />
      </>
    );
  return (
    <>
      <span>{t(($) => $.whitelist.waits)}</span>{' '}
      <Countdown until={at} onEnd={() => void refetchWhitelist()} />
    </>
  );
}

interface AddDialogProps {
  opened: boolean;
  onClose: () => void;
  onAdd: (entry: NewEntry) => void;
}

function AddDialog({ opened, onClose, onAdd }: AddDialogProps) {
  const { t } = useTranslation('web3');
  const { t: common } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(($) => $.whitelist.addTitle)}
      centered
      closeButtonProps={{ 'aria-label': common(($) => $.actions.close) }}
    >
      {opened && <AddForm onAdd={onAdd} />}
    </Modal>
  );
}

function AddForm({ onAdd }: Pick<AddDialogProps, 'onAdd'>) {
  const { t } = useTranslation('web3');
  const [kind, setKind] = useState<Kind>('chain');
  const [destination, setDestination] = useState('');
  const [label, setLabel] = useState('');
  const [touched, setTouched] = useState(false);
  const clean = destination.trim().replace(kind === 'member' ? /^@/ : /^$/, '');
  const fine = kind === 'chain' ? isAddress(clean) : clean.length > 0;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (fine) onAdd({ kind, destination: clean, label: label.trim() });
      }}
    >
      <Stack gap="md">
        <Select
          label={t(($) => $.whitelist.kind)}
          data={KINDS.map((value) => ({ value, label: t(($) => $.whitelist.kinds[value]) }))}
          value={kind}
          onChange={(next) => setKind((next as Kind | null) ?? 'chain')}
          allowDeselect={false}
        />
        <TextInput
          label={t(($) => $.whitelist.destinations[kind])}
          value={destination}
          onChange={(event) => setDestination(event.currentTarget.value)}
          error={touched && !fine ? t(($) => $.whitelist.bad[kind]) : undefined}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          required
        />
        <TextInput
          label={t(($) => $.whitelist.label)}
          description={t(($) => $.whitelist.labelHint)}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          maxLength={60}
        />
        <Text fz="sm" c="dimmed">
          {t(($) => $.whitelist.delay)}
        </Text>
        <Button type="submit">{t(($) => $.whitelist.goOn)}</Button>
      </Stack>
    </form>
  );
}
