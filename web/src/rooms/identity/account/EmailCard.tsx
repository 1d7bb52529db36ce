import { Alert, Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconCircleCheck, IconClock, IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { type ApiError, asApiError } from '@/api/problem';
import { type Me, reloadUser, useCan } from '@/api/session';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { GuardedButton } from '@/ui/GuardedButton';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { isEmail } from '../Credentials';
import { CurrentPassword } from '../CurrentPassword';
import { reread } from './reread';

type Change = NonNullable<Me['emailChange']>;
type Wanted = Pick<Schemas['ChangeEmail'], 'email' | 'password'>;

const askForEmail = mutation({
  send: async (order: Wanted & Codes) => {
    await api.POST('/me/email', { body: order });
    await reread();
  },
  changes: [],
});

const takeBack = mutation({
  send: async (_: null) => {
    await api.DELETE('/me/email');
    await reread();
  },
  changes: [],
});

/** The address of the account, and another one: it counts once both mailboxes have said yes. */
export function EmailCard({ user }: { user: Me }) {
  const { t } = useTranslation('account');
  const decides = useCan('admin_permissions');
  const [editing, setEditing] = useState(false);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [coding, setCoding] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const open = () => {
    setRefused(null);
    setEditing(true);
  };
  const send = async (codes: Codes) => {
    if (!wanted) return;
    try {
      await askForEmail({ ...wanted, ...codes });
    } catch (thrown) {
      const error = asApiError(thrown);
      // What is wrong with the address or the password is said where they were typed.
      if (error.field('email') === undefined && error.field('password') === undefined) throw thrown;
      setRefused(error);
      setEditing(true);
      return;
    }
    setWanted(null);
    toast.success(t(($) => $.email.asked));
  };
  return (
    <Section title={t(($) => $.email.title)} hint={t(($) => $.email.hint)}>
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <IconMail size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
            <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {user.email}
            </Text>
          </Group>
          <GuardedButton
            variant="default"
            size="sm"
            allowed={!decides}
            reason={t(($) => $.email.byTwo)}
            onClick={open}
          >
            {t(($) => $.email.change)}
          </GuardedButton>
        </Group>
        {user.emailChange && <Pending change={user.emailChange} />}
      </Stack>
      <Modal opened={editing} onClose={() => setEditing(false)} title={t(($) => $.email.change)} centered>
        {editing && (
          <NewEmailForm
            now={user.email}
            before={wanted}
            refused={refused}
            onNext={(next) => {
              setWanted(next);
              setEditing(false);
              setCoding(true);
            }}
          />
        )}
      </Modal>
      <CodesDialog
        saves
        app={user.twoFactor.app}
        opened={coding}
        onClose={() => setCoding(false)}
        title={t(($) => $.email.change)}
        hint={t(($) => $.email.code, { email: user.email })}
        onSend={() => api.POST('/security-code', { body: { purpose: 'change-account-data' } })}
        onCodes={send}
      />
    </Section>
  );
}

interface NewEmailFormProps {
  now: string;
  before: Wanted | null;
  refused: ApiError | null;
  onNext: (wanted: Wanted) => void;
}

function NewEmailForm({ now, before, refused, onNext }: NewEmailFormProps) {
  const { t } = useTranslation('account');
  const { t: identity } = useTranslation('identity');
  const [email, setEmail] = useState(before?.email ?? '');
  const [password, setPassword] = useState('');
  const [checked, setChecked] = useState(false);
  const typed = email.trim();
  const problem = !isEmail(typed)
    ? identity(($) => $.errors.email)
    : typed.toLowerCase() === now.toLowerCase() && identity(($) => $.confirm.same);
  const [said, setSaid] = useState(refused);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (!problem && password !== '') onNext({ email: typed, password });
      }}
    >
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          {t(($) => $.email.how)}
        </Text>
        <TextInput
          name="email"
          type="email"
          autoComplete="email"
          required
          data-autofocus
          maxLength={254}
          label={t(($) => $.email.new)}
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            setSaid(null);
          }}
          error={said?.field('email') ?? (checked && problem)}
        />
        <CurrentPassword
          value={password}
          onChange={(next) => {
            setPassword(next);
            setSaid(null);
          }}
          error={said?.field('password')}
          checked={checked}
        />
        <Group justify="flex-end">
          <Button type="submit">{identity(($) => $.register.next)}</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Which of the two has said yes, until when the other may, and the way back. */
function Pending({ change }: { change: Change }) {
  const { t } = useTranslation('account');
  const [ending, setEnding] = useState(false);
  const sides = [
    ['old', change.oldConfirmed],
    ['new', change.newConfirmed],
  ] as const;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      title={t(($) => $.email.pending, { email: change.email })}
    >
      <Stack gap="sm">
        <List listStyleType="none" spacing={6} center fz="sm">
          {sides.map(([side, done]) => (
            <List.Item
              key={side}
              icon={
                done ? (
                  <IconCircleCheck
                    size={18}
                    aria-hidden
                    style={{ color: 'light-dark(var(--mantine-color-mint-8), var(--mantine-color-mint-5))' }}
                  />
                ) : (
                  <IconClock size={18} aria-hidden />
                )
              }
            >
              <span>{t(($) => $.email.sides[side])}</span>:{' '}
              <span>{done ? t(($) => $.email.yes) : t(($) => $.email.waits)}</span>
            </List.Item>
          ))}
        </List>
        <Text fz="sm">
          <span>{t(($) => $.email.until)}</span>{' '}
          <Countdown until={change.until} onEnd={() => void reloadUser().catch(() => {})} />
        </Text>
        <Group>
          <Button variant="default" size="xs" onClick={() => setEnding(true)}>
            {t(($) => $.email.takeBack)}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={ending}
        onClose={() => setEnding(false)}
        title={t(($) => $.email.takeBack)}
        consequence={t(($) => $.email.takeBackHint)}
        confirmLabel={t(($) => $.email.takeBack)}
        danger
        onConfirm={async () => {
          await takeBack(null);
          toast.success(t(($) => $.email.takenBack));
        }}
      />
    </Alert>
  );
}
