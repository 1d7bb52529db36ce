import { Alert, Button, Group, Select, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { useByPasskey } from '@/shared/passkeys/useByPasskey';
import { CodeDialog } from '@/ui/CodeDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare } from '@/ui/money';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';

type Restraint = Schemas['RestraintView'];
type Kind = Schemas['LimitKind'];
const KEY = ['get', '/self-limits'] as const;
const DAYS = ['1', '7', '30', '90', '180', '365'] as const;

const show = (fresh: Restraint) => {
  queryClient.setQueriesData({ queryKey: KEY }, fresh);
};

type NewLimit = { kind: Kind; value?: string; securityCode: string };

const setLimit = mutation({
  send: (limit: NewLimit) => body(api.POST('/self-limits', { body: limit })),
  patch: show,
  changes: ['/outbound-state'],
});

const takeTimeOut = mutation({
  send: (order: { days: number; securityCode: string }) => body(api.POST('/self-exclusion', { body: order })),
  patch: show,
  changes: ['/outbound-state'],
});

/** What people hold themselves to: limits of outgoing money of their own, and a time out. */
export function LimitsCard() {
  const { t } = useTranslation('identity');
  const { data, error, refetch } = $api.useQuery('get', '/self-limits');
  const outbound = $api.useQuery('get', '/outbound-state');
  const app = outbound.data?.factor === 'app';
  return (
    <>
      <Section title={t(($) => $.account.limits.title)} hint={t(($) => $.account.limits.hint)}>
        {data ? (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
            <Limit kind="transaction" limit={data.transaction} app={app} />
            <Limit kind="day" limit={data.day} app={app} />
          </SimpleGrid>
        ) : error ? (
          <ErrorCard what={t(($) => $.account.limits.what)} error={error} onRetry={refetch} />
        ) : (
          <Skeleton h={150} />
        )}
      </Section>
      <Section title={t(($) => $.account.timeOut.title)} hint={t(($) => $.account.timeOut.hint)}>
        {data ? <TimeOut until={data.excludedUntil ?? null} app={app} /> : error ? null : <Skeleton h={60} />}
      </Section>
    </>
  );
}

interface LimitProps {
  kind: Kind;
  limit: Restraint['transaction'];
  /** The authenticator's code is asked for: none is mailed. */
  app: boolean;
}

function Limit({ kind, limit, app }: LimitProps) {
  const { t } = useTranslation('identity');
  const byPasskey = useByPasskey();
  const [value, setValue] = useState('');
  const [asking, setAsking] = useState<'set' | 'end' | null>(null);
  /** What waits for its code; an empty value is no limit of one's own. The code binds exactly this. */
  const [waiting, setWaiting] = useState<string | null>(null);
  const name = t(($) => $.account.limits[kind]);
  const own = limit.own ?? null;
  const raises = own !== null && (asking === 'end' || compare(value || '0', own) > 0);
  const fits = value !== '' && compare(value, limit.platform) <= 0;
  const wanted = asking === 'set' ? value : '';
  const send = async (next: string, securityCode: string) => {
    const fresh = await setLimit({ kind, ...(next && { value: next }), securityCode });
    setValue('');
    toast.success(fresh[kind].raise ? t(($) => $.account.limits.waits) : t(($) => $.account.limits.done));
  };
  const asked = {
    purpose: 'own-limits',
    destination: kind,
    ...(waiting && { amount: waiting }),
  } as const;
  return (
    <Stack gap="xs" component="section" aria-label={name}>
      <Text fw={600} fz="sm">
        {name}
      </Text>
      <Text fz="sm" c="dimmed">
        <span>{t(($) => $.account.limits.now)}</span> <Money value={own ?? limit.platform} />
        <span>{own === null ? ` · ${t(($) => $.account.limits.platform)}` : ''}</span>
      </Text>
      {limit.raise && (
        <Alert color="blue" variant="light" role="status" p="xs">
          <Text fz="sm" component="div">
            <span>
              {limit.raise.value ? <Money value={limit.raise.value} /> : t(($) => $.account.limits.none)}
            </span>{' '}
            <span>{t(($) => $.account.limits.from)}</span> <When at={limit.raise.at} />
          </Text>
        </Alert>
      )}
      <MoneyInput
        label={t(($) => $.account.limits.new)}
        value={value}
        onChange={setValue}
        max={limit.platform}
      />
      <Group gap="xs">
        <Button size="xs" disabled={!fits} onClick={() => setAsking('set')}>
          {t(($) => $.account.limits.set)}
        </Button>
        {own !== null && (
          <Button size="xs" variant="default" onClick={() => setAsking('end')}>
            {t(($) => $.account.limits.end)}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking !== null}
        onClose={() => setAsking(null)}
        title={name}
        facts={[
          { label: t(($) => $.account.limits.before), value: <Money value={own ?? limit.platform} /> },
          {
            label: t(($) => $.account.limits.after),
            value: <Money value={asking === 'end' ? limit.platform : value || '0'} />,
          },
        ]}
        consequence={raises ? t(($) => $.account.limits.raiseNote) : t(($) => $.account.limits.lowerNote)}
        confirmLabel={t(($) => $.account.limits.set)}
        onConfirm={async () => {
          setWaiting(wanted);
        }}
      />
      <CodeDialog
        saves
        opened={waiting !== null}
        onClose={() => setWaiting(null)}
        title={t(($) => $.account.limits.codeTitle)}
        hint={app ? t(($) => $.account.limits.codeApp) : t(($) => $.account.limits.codeMail)}
        {...(!app && {
          onSend: () => api.POST('/security-code', { body: asked }),
        })}
        {...byPasskey(asked)}
        onCode={(code) => send(waiting ?? '', code)}
      />
    </Stack>
  );
}

function TimeOut({ until, app }: { until: string | null; app: boolean }) {
  const { t } = useTranslation('identity');
  const byPasskey = useByPasskey();
  const format = useFormat();
  const [days, setDays] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const asked = { purpose: 'own-limits', destination: 'exclusion', amount: days ?? '' } as const;
  const option = (count: string) => t(($) => $.account.timeOut.days, { count: Number(count) });
  return (
    <Stack gap="sm">
      {until && (
        <Alert color="gold" variant="light" role="status">
          {t(($) => $.account.timeOut.standing, { until: format.dateTime(until) })}
        </Alert>
      )}
      <Group align="flex-end" gap="sm">
        <Select
          label={t(($) => $.account.timeOut.length)}
          data={DAYS.map((value) => ({ value, label: option(value) }))}
          value={days}
          onChange={setDays}
          maw={220}
        />
        <Button color="red" variant="light" disabled={days === null} onClick={() => setAsking(true)}>
          {until ? t(($) => $.account.timeOut.longer) : t(($) => $.account.timeOut.begin)}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.account.timeOut.title)}
        facts={[{ label: t(($) => $.account.timeOut.length), value: days ? option(days) : '' }]}
        consequence={t(($) => $.account.timeOut.consequence)}
        confirmLabel={until ? t(($) => $.account.timeOut.longer) : t(($) => $.account.timeOut.begin)}
        danger
        onConfirm={async () => {
          setWaiting(true);
        }}
      />
      <CodeDialog
        saves
        opened={waiting}
        onClose={() => setWaiting(false)}
        title={t(($) => $.account.timeOut.codeTitle)}
        hint={app ? t(($) => $.account.limits.codeApp) : t(($) => $.account.limits.codeMail)}
        {...(!app && {
          onSend: () => api.POST('/security-code', { body: asked }),
        })}
        {...byPasskey(asked)}
        onCode={async (code) => {
          await takeTimeOut({ days: Number(days), securityCode: code });
          setDays(null);
          toast.success(t(($) => $.account.timeOut.done));
        }}
      />
    </Stack>
  );
}
