import { Alert, Badge, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Answer, api, body } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { ApiError, asApiError } from '@/api/problem';
import { type Me, reloadUser } from '@/api/session';
import { createPasskey } from '@/shared/passkeys/authenticator';
import { canUsePasskeys } from '@/shared/passkeys/usable';
import { usePasskeyWords } from '@/shared/passkeys/usePasskeyWords';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { plainList } from '@/ui/plainList';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { Problem } from '../Problem';
import { PasswordThenCode } from './PasswordThenCode';
import { RecoveryCodes } from './RecoveryCodes';

type Passkey = Answer<'/me/passkeys', 'get'>['data'][number];
type Creation = Answer<'/me/passkeys/options', 'post'>;
type Order = { password: string; code: string };

/** Longest name that the server keeps. */
const NAME = 60;
/** The server takes no answer to what was confirmed: it is too old, or was used. */
const OVER = 'passkey.refused';

const add = mutation({
  send: async ({ options, name }: { options: Creation; name: string }) => {
    const credential = await createPasskey(options);
    return body(api.POST('/me/passkeys', { body: { name, credential } }));
  },
  changes: ['/me/passkeys', '/sessions'],
  wait: true,
});
const rename = mutation({
  send: ({ id, name }: { id: string; name: string }) =>
    api.PATCH('/me/passkeys/{id}', { params: { path: { id } }, body: { name } }),
  changes: ['/me/passkeys'],
  wait: true,
});
const remove = mutation({
  send: ({ id, order }: { id: string; order: Order }) =>
    api.POST('/me/passkeys/{id}/remove', { params: { path: { id } }, body: order }),
  changes: ['/me/passkeys', '/sessions'],
  wait: true,
});

type Asking = { what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey };

/** One's passkeys: added with the password and a current factor, named, taken off. */
export function PasskeysCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const query = $api.useQuery('get', '/me/passkeys');
  const [asking, setAsking] = useState<Asking | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setAsking(null);
  const held = query.data?.data ?? [];
  const able = canUsePasskeys();
  const adding = able && user.hasPassword && (
    <Button variant="light" size="sm" onClick={() => setAsking({ what: 'add' })}>
      {t(($) => $.passkeys.add)}
    </Button>
  );
  const why = !able
    ? t(($) => $.passkeys.unsupported)
    : !user.hasPassword
      ? t(($) => $.passkeys.noPassword)
      : null;
  return (
    <Section title={t(($) => $.passkeys.title)} hint={t(($) => $.passkeys.hint)}>
      {query.isPending && <Skeleton h={56} radius="md" />}
      {query.isError && (
        <ErrorCard what={t(($) => $.passkeys.what)} error={query.error} onRetry={() => query.refetch()} />
      )}
      {query.data && held.length === 0 && (
        <EmptyState
          icon={<IconFingerprint size={26} stroke={1.5} />}
          title={t(($) => $.passkeys.empty)}
          hint={why ?? t(($) => $.passkeys.emptyHint)}
          action={adding}
        />
      )}
      {held.length > 0 && (
        <Stack gap="md">
          <Stack gap="md" component="ul" {...plainList}>
            {held.map((passkey) => (
              <Line
                key={passkey._id}
                passkey={passkey}
                onRename={() => setAsking({ what: 'rename', passkey })}
                onRemove={() => setAsking({ what: 'remove', passkey })}
              />
            ))}
          </Stack>
          {why ? (
            <Text fz="sm" c="dimmed">
              {why}
            </Text>
          ) : (
            <div>{adding}</div>
          )}
        </Stack>
      )}
      <Modal opened={asking?.what === 'add'} onClose={close} title={t(($) => $.passkeys.addTitle)} centered>
        <Adding
          user={user}
          first={t(($) => $.passkeys.numbered, { n: held.length + 1 })}
          onDone={async (recoveryCodes) => {
            if (recoveryCodes && recoveryCodes.length > 0) setCodes(recoveryCodes);
            await reloadUser().catch(() => {});
            toast.success(t(($) => $.passkeys.added));
            close();
          }}
        />
      </Modal>
      <Modal
        opened={asking?.what === 'rename'}
        onClose={close}
        title={t(($) => $.passkeys.renameTitle)}
        centered
      >
        {asking?.what === 'rename' && (
          <Naming
            first={asking.passkey.name}
            label={t(($) => $.passkeys.save)}
            send={(name) => rename({ id: asking.passkey._id, name })}
            onDone={() => {
              toast.success(t(($) => $.passkeys.renamed));
              close();
            }}
          />
        )}
      </Modal>
      <Modal
        opened={asking?.what === 'remove'}
        onClose={close}
        title={t(($) => $.passkeys.removeLabel, {
          name: asking?.what === 'remove' ? asking.passkey.name : '',
        })}
        centered
      >
        {asking?.what === 'remove' && (
          <Stack>
            <Text fz="sm" c="dimmed">
              {t(($) => $.passkeys.removeHint)}
            </Text>
            <PasswordThenCode
              byApp={user.twoFactor.app}
              recovery
              onConfirm={async (order) => {
                await remove({ id: asking.passkey._id, order });
                await reloadUser().catch(() => {});
                toast.success(t(($) => $.passkeys.removed));
                close();
              }}
            />
          </Stack>
        )}
      </Modal>
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Section>
  );
}

interface LineProps {
  passkey: Passkey;
  onRename: () => void;
  onRemove: () => void;
}

function Line({ passkey, onRename, onRemove }: LineProps) {
  const { t } = useTranslation('identity');
  const { name, synced, doubted, aside, createdAt, lastUsedAt } = passkey;
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Group gap="md" wrap="nowrap" miw={0}>
        <IconFingerprint size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
        <div style={{ minWidth: 0 }}>
          <Group gap={8}>
            <Text fw={600} fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {synced && (
              <Badge color="gray" size="sm">
                {t(($) => $.passkeys.synced)}
              </Badge>
            )}
            {doubted && (
              <Badge color="red" size="sm">
                {t(($) => $.passkeys.doubted)}
              </Badge>
            )}
            {aside && !doubted && (
              <Badge color="gold" size="sm">
                {t(($) => $.passkeys.aside)}
              </Badge>
            )}
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            <span>{t(($) => $.passkeys.created)}</span> <When at={createdAt} />
            {lastUsedAt ? (
              <>
                <span>{` · ${t(($) => $.passkeys.used)}`}</span> <When at={lastUsedAt} relative />
              </>
            ) : (
              <span>{` · ${t(($) => $.passkeys.never)}`}</span>
            )}
          </Text>
          {doubted && (
            <Text fz="sm" c="red">
              {t(($) => $.passkeys.doubtedHint)}
            </Text>
          )}
          {aside && !doubted && <Text fz="sm">{t(($) => $.passkeys.asideHint)}</Text>}
        </div>
      </Group>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          aria-label={t(($) => $.passkeys.renameLabel, { name })}
          onClick={onRename}
        >
          {t(($) => $.passkeys.rename)}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={t(($) => $.passkeys.removeLabel, { name })}
          onClick={onRemove}
        >
          {t(($) => $.passkeys.remove)}
        </Button>
      </Group>
    </Group>
  );
}

interface AddingProps {
  user: Me;
  first: string;
  onDone: (recoveryCodes?: readonly string[] | null) => Promise<unknown>;
}

/** The password and a code first; then the device is asked, as often as it takes: what was confirmed stays so for minutes, and is confirmed
 *  again when it is too old or the server takes it no more. */
function Adding({ user, first, onDone }: AddingProps) {
  const { t } = useTranslation('identity');
  const [asked, setAsked] = useState<{ options: Creation; until: number } | null>(null);
  const [name, setName] = useState(first);
  const [again, setAgain] = useState(false);
  const renew = () => {
    setAgain(true);
    setAsked(null);
  };
  if (!asked)
    return (
      <Stack>
        {again && (
          <Alert color="gold" variant="light" role="alert">
            {t(($) => $.passkeys.again)}
          </Alert>
        )}
        <PasswordThenCode
          byApp={user.twoFactor.app}
          onConfirm={async (order) => {
            const options = await body(api.POST('/me/passkeys/options', { body: order }));
            setAsked({ options, until: Date.now() + options.timeout });
          }}
        />
      </Stack>
    );
  return (
    <Naming
      first={name}
      hint={t(($) => $.passkeys.nameHint)}
      label={t(($) => $.passkeys.create)}
      send={async (given) => {
        setName(given);
        if (Date.now() >= asked.until) throw new ApiError(422, { code: OVER });
        return add({ options: asked.options, name: given });
      }}
      onDone={({ recoveryCodes }) => onDone(recoveryCodes)}
      onFail={(error) => {
        if (asApiError(error).code === OVER) renew();
      }}
    />
  );
}

interface NamingProps<Out> {
  first: string;
  hint?: string;
  label: string;
  send: (name: string) => Promise<Out>;
  onDone: (answer: Out) => unknown;
  onFail?: (error: unknown) => unknown;
}

function Naming<Out>({ first, hint, label, send, onDone, onFail }: NamingProps<Out>) {
  const { t } = useTranslation('identity');
  const words = usePasskeyWords();
  const [name, setName] = useState(first);
  const { busy, failure, run, field, clear } = useSubmit(send, onDone, onFail);
  const refused = field('name');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void run(name.trim());
      }}
    >
      <Stack>
        <TextInput
          data-autofocus
          required
          label={t(($) => $.passkeys.name)}
          description={hint}
          maxLength={NAME}
          value={name}
          onChange={(event) => {
            clear();
            setName(event.currentTarget.value);
          }}
          error={refused}
        />
        {failure && !refused && <Problem {...failure} instead={words} />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={name.trim() === ''}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
