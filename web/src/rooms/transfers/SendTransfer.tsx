import {
  Button,
  Card,
  CloseButton,
  Group,
  Stack,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { useBalances } from '@/live/balances';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { isStopped, type OutboundState } from '@/shared/payments/OutboundNotice';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { add, compare, isPositive, subtract } from '@/ui/money';
import { toast } from '@/ui/toast';
import { sendTransfer } from './transfers';

type Person = Schemas['FoundPerson'];
const PAUSE_MS = 350;
const LEAST = 3;

/** Who, how much, then the confirmation and the code bound to both. */
export function SendTransfer({ state }: { state: OutboundState | undefined }) {
  const { t } = useTranslation('transfers');
  const byPasskey = useByPasskey();
  const [person, setPerson] = useState<Person | null>(null);
  const [value, setValue] = useState('');
  const [asking, setAsking] = useState(false);
  const [coding, setCoding] = useState(false);
  const available = useBalances(({ available }) => available?.balance);
  const fee = state?.transferFee ?? '0';
  const spendable = state?.spendable ?? available ?? '0';
  const room = subtract(spendable, fee);
  const most = isPositive(room) ? room : '0';
  const fine = person !== null && isPositive(value || '0') && compare(value, most) <= 0;

  /** What the mailed code, and a passkey's word, are bound to. */
  const asked = ({ username }: Person) =>
    ({ purpose: 'transfer', destination: username, amount: value }) as const;
  const done = async (securityCode: string, key: string) => {
    if (!person) return;
    const made = await sendTransfer({ receiver: person.username, value, securityCode }, key);
    toast.success(
      made.status === 'pending' ? t(($) => $.send.held) : t(($) => $.send.done, { name: person.username }),
    );
    setPerson(null);
    setValue('');
  };

  return (
    <Card component="section" aria-labelledby="send-transfer">
      <Stack gap="md">
        <Title order={2} fz={17} id="send-transfer">
          {t(($) => $.send.title)}
        </Title>
        {person ? (
          <Chosen person={person} onClear={() => setPerson(null)} />
        ) : (
          <FindPerson onChoose={setPerson} />
        )}
        <MoneyInput
          label={t(($) => $.send.value)}
          value={value}
          onChange={setValue}
          max={most}
          balance={available}
          positive
          description={
            isPositive(fee) ? (
              <>
                <span>{t(($) => $.send.fee)}</span> <Money value={fee} />
              </>
            ) : (
              t(($) => $.send.free)
            )
          }
          required
        />
        <Group justify="space-between">
          <Text fz="sm" c="dimmed">
            <span>{t(($) => $.send.spendable)}</span> <Money value={spendable} />
          </Text>
          <GuardedButton
            allowed={fine && !isStopped(state)}
            reason={
              isStopped(state)
                ? t(($) => $.send.stopped)
                : person
                  ? t(($) => $.send.needsValue)
                  : t(($) => $.send.needsPerson)
            }
            leftSection={<IconSend size={17} aria-hidden />}
            onClick={() => setAsking(true)}
          >
            {t(($) => $.send.submit)}
          </GuardedButton>
        </Group>
      </Stack>
      {person && (
        <ConfirmDialog
          opened={asking}
          onClose={() => setAsking(false)}
          title={t(($) => $.send.confirmTitle)}
          facts={[
            { label: t(($) => $.send.to), value: `${person.name} (@${person.username})` },
            { label: t(($) => $.send.arrives), value: <Money value={value || '0'} digits={6} /> },
            { label: t(($) => $.send.feeLabel), value: <Money value={fee} /> },
            { label: t(($) => $.send.total), value: <Money value={add(value || '0', fee)} digits={6} /> },
          ]}
          consequence={t(($) => $.send.consequence)}
          confirmLabel={t(($) => $.send.goOn)}
          onConfirm={async () => setCoding(true)}
        />
      )}
      {person && (
        <CodeDialog
          opened={coding}
          onClose={() => setCoding(false)}
          title={t(($) => $.send.codeTitle)}
          hint={state?.factor === 'app' ? t(($) => $.send.codeApp) : t(($) => $.send.codeMail)}
          {...(state?.factor !== 'app' && {
            onSend: () => api.POST('/security-code', { body: asked(person) }),
          })}
          {...byPasskey(asked(person))}
          onCode={done}
        />
      )}
    </Card>
  );
}

function Chosen({ person, onClear }: { person: Person; onClear: () => void }) {
  const { t } = useTranslation('transfers');
  return (
    <Card withBorder p="sm" data-person={person.username}>
      <Group justify="space-between" wrap="nowrap">
        <PersonLine person={person} />
        <CloseButton aria-label={t(($) => $.send.change)} onClick={onClear} size={44} />
      </Group>
    </Card>
  );
}

function PersonLine({ person }: { person: Person }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <PersonAvatar person={{ fullName: person.name, avatar: person.avatar ?? null }} />
      <div style={{ minWidth: 0 }}>
        <Text fw={600} fz="sm" truncate>
          {person.name}
        </Text>
        <Text fz="xs" c="dimmed" truncate>
          <span translate="no">@{person.username}</span>
        </Text>
      </div>
    </Group>
  );
}

function FindPerson({ onChoose }: { onChoose: (person: Person) => void }) {
  const { t } = useTranslation('transfers');
  const [typed, setTyped] = useState('');
  const [term] = useDebouncedValue(typed.trim().replace(/^@/, ''), PAUSE_MS);
  const enough = term.length >= LEAST;
  const found = $api.useQuery(
    'get',
    '/search-user/{term}',
    { params: { path: { term } } },
    { enabled: enough, retry: false },
  );
  return (
    <Stack gap="xs">
      <TextInput
        label={t(($) => $.send.person)}
        description={t(($) => $.send.personHint)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        leftSection={<IconSearch size={17} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        maxLength={254}
        required
      />
      <div aria-live="polite">
        {!enough ? null : found.error ? (
          <ErrorCard what={t(($) => $.send.people)} error={found.error} onRetry={found.refetch} />
        ) : found.isLoading ? (
          <Text fz="sm" c="dimmed">
            {t(($) => $.send.searching)}
          </Text>
        ) : found.data?.length === 0 ? (
          <Text fz="sm" c="dimmed">
            {t(($) => $.send.nobody)}
          </Text>
        ) : (
          <Stack gap={4}>
            {found.data?.map((person) => (
              <UnstyledButton
                key={person.username}
                p="xs"
                mih={44}
                style={{ borderRadius: 8, border: '1px solid var(--mantine-color-default-border)' }}
                onClick={() => onChoose(person)}
              >
                <PersonLine person={person} />
              </UnstyledButton>
            ))}
          </Stack>
        )}
      </div>
      {typed !== '' && !enough && (
        <Group>
          <Button variant="subtle" size="compact-sm" onClick={() => setTyped('')}>
            {t(($) => $.send.clear)}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
