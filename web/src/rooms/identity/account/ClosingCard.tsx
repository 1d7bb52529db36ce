import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  List,
  Modal,
  Skeleton,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { type ApiError, asApiError } from '@/api/problem';
import { queryClient } from '@/api/queryClient';
import type { Me } from '@/api/session';
import { type Codes, CodesDialog } from '@/ui/CodesDialog';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { CurrentPassword } from '../CurrentPassword';
import { reread } from './reread';

type View = Schemas['ClosingView'];
type Need = Schemas['ClosingNeedView'];
type Wanted = Pick<Schemas['AskClosing'], 'password' | 'reason' | 'walletSettled' | 'left'>;
/** What may stay with the house: too little to be taken out, or not paid by anybody yet. */
type Leavable = Need & { what: 'available' | 'pyx' | 'ranks' };

const LEAVABLE: readonly Need['what'][] = ['available', 'pyx', 'ranks'];
const leavable = (need: Need): need is Leavable => need.leavable && LEAVABLE.includes(need.what);

/** A sum that stays with the house, whole. */
function Sum({ what, value }: { what: Leavable['what']; value: string }) {
  return what === 'pyx' ? (
    <Money value={value} currency="PYX" digits={6} />
  ) : (
    <Money value={value} digits={6} />
  );
}

const DAY = 24 * 60 * 60;

type Way = Need['ways'][number];

/** Money comes and goes by PIX and over the chain, each on its own screen. */
const DEPOSITS: Record<Way, string> = { pix: '/wallet/my-deposits-pix', chain: '/wallet/my-deposits' };
const WITHDRAWALS: Record<Way, string> = {
  pix: '/wallet/my-withdrawals-pix',
  chain: '/wallet/my-withdrawals',
};

/** Where each is settled; a role is taken by two others. */
const PLACES: Record<Exclude<Need['what'], 'role'>, string | Record<Way, string>> = {
  available: WITHDRAWALS,
  bonus: '/affiliate-network/bonus-report',
  bonus_waiting: '/affiliate-network/bonus-report',
  held: '/customer/extrato',
  sponsored: '/support/new-ticket',
  debt: DEPOSITS,
  pyx: '/exchange/negotiate-igc',
  pools: '/licences?tab=pools',
  licences: '/licences',
  loans: '/licences?tab=loans',
  deposits: DEPOSITS,
  withdrawals: WITHDRAWALS,
  transfers: '/wallet/transfers',
  orders: '/exchange/negotiate-igc?tab=market',
  wallet_moves: '/account-setting?tab=crypto',
  ranks: '/affiliate-network/dashboard',
  cases: '/support/new-ticket',
  hold: '/account-setting?tab=security',
  change: '/support/new-ticket',
};

const shown = (fresh: View) => {
  queryClient.setQueriesData({ queryKey: ['get', '/me/closing'] }, fresh);
};

const askToClose = mutation({
  send: (order: Wanted & Codes) => body(api.POST('/me/closing', { body: order })),
  patch: shown,
  changes: ['/me/closing'],
  always: true,
});

const cancelClosing = mutation({
  send: (_: null) => body(api.DELETE('/me/closing')),
  patch: shown,
  changes: ['/me/closing'],
});

/** One's account closed for good: what stands in the way, the asking, and the way back while it waits. */
export function ClosingCard({ user }: { user: Me }) {
  const { t } = useTranslation('account');
  const { data, error, refetch } = $api.useQuery('get', '/me/closing', undefined, {
    // Who comes back from settling something sees what is left of it.
    staleTime: 0,
  });
  return (
    <Section title={t(($) => $.closing.title)} hint={t(($) => $.closing.hint)}>
      {error && !data ? (
        <ErrorCard what={t(($) => $.closing.what)} error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton h={150} />
      ) : (
        <Stack gap="md">
          {data.waiting && <Waiting due={data.waiting.dueAt} left={data.left} />}
          {data.needs.length > 0 && <Needs needs={data.needs} waiting={data.waiting != null} />}
          {!data.waiting && <Ask user={user} view={data} />}
        </Stack>
      )}
    </Section>
  );
}

function Needs({ needs, waiting }: { needs: readonly Need[]; waiting: boolean }) {
  const { t } = useTranslation('account');
  return (
    <div>
      <Text fz="sm" fw={600} mb={6}>
        {waiting ? t(($) => $.closing.callsOff) : t(($) => $.closing.first)}
      </Text>
      <Stack
        gap={8}
        component="ul"
        m={0}
        p={0}
        style={{ listStyle: 'none' }}
        aria-label={t(($) => $.closing.first)}
      >
        {needs.map((need) => {
          const { what } = need;
          return (
            <Group key={what} component="li" justify="space-between" gap="sm">
              <div>
                <Text fz="sm" component="div">
                  <span>{t(($) => $.closing.needs[what])}</span> <Figure need={need} />
                </Text>
                {!waiting && leavable(need) && (
                  <Text fz={12.5} c="dimmed">
                    {t(($) => $.closing.leave.may)}
                  </Text>
                )}
              </div>
              {what !== 'role' && <Settle what={what} ways={need.ways} />}
            </Group>
          );
        })}
      </Stack>
    </div>
  );
}

/** Where it is settled: by the ways by which there is something, else by either. */
function Settle({ what, ways }: { what: Exclude<Need['what'], 'role'>; ways: readonly Way[] }) {
  const { t } = useTranslation('account');
  const place = PLACES[what];
  if (typeof place === 'string')
    return (
      <Anchor component={Link} to={place} fz="sm" display="inline-block">
        {t(($) => $.closing.settle[what])}
      </Anchor>
    );
  const there: readonly Way[] = ways.length > 0 ? ways : ['pix', 'chain'];
  return (
    <Group gap="md">
      {there.map((way) => (
        <Anchor key={way} component={Link} to={place[way]} fz="sm" display="inline-block">
          {t(($) => $.closing.by[way], { what: t(($) => $.closing.settle[what]) })}
        </Anchor>
      ))}
    </Group>
  );
}

/** How it stands now. */
function Figure({ need }: { need: Need }) {
  const format = useFormat();
  if (need.until) return <Countdown until={need.until} />;
  if (need.pyx) return <Money value={need.pyx} currency="PYX" digits={4} />;
  if (need.usdt) return <Money value={need.usdt} digits={4} />;
  if (need.count == null) return null;
  return (
    <Text span inherit className="num" fw={600} translate="no">
      {format.count(need.count)}
    </Text>
  );
}

/** It closes on its day; until then one may think again. */
function Waiting({ due, left }: { due: string; left: View['left'] }) {
  const { t } = useTranslation('account');
  const [ending, setEnding] = useState(false);
  return (
    <Alert color="gold" variant="light" role="status" title={t(($) => $.closing.waits)}>
      <Stack gap="sm">
        <Text fz="sm" component="div">
          <span>{t(($) => $.closing.closesOn)}</span> <When at={due} />
        </Text>
        <Text fz="sm">{t(($) => $.closing.meanwhile)}</Text>
        {(['available', 'pyx', 'ranks'] as const).map((what) => {
          const sum = left?.[what];
          return (
            sum && (
              <Text key={what} fz="sm" component="div">
                <span>{t(($) => $.closing.leave.stays[what])}</span> <Sum what={what} value={sum} />
              </Text>
            )
          );
        })}
        <Group>
          <Button variant="default" size="xs" onClick={() => setEnding(true)}>
            {t(($) => $.closing.cancel)}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={ending}
        onClose={() => setEnding(false)}
        title={t(($) => $.closing.cancel)}
        consequence={t(($) => $.closing.cancelHint)}
        confirmLabel={t(($) => $.closing.cancel)}
        onConfirm={async () => {
          await cancelClosing(null);
          await reread();
          toast.success(t(($) => $.closing.cancelled));
        }}
      />
    </Alert>
  );
}

function Ask({ user, view }: { user: Me; view: View }) {
  const { t } = useTranslation('account');
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [coding, setCoding] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const role = view.needs.some((need) => need.what === 'role');
  const reason = !user.hasPassword
    ? t(($) => $.closing.noPassword)
    : role
      ? t(($) => $.closing.byTwo)
      : t(($) => $.closing.notEmpty);
  const send = async (codes: Codes) => {
    if (!wanted) return;
    try {
      await askToClose({ ...wanted, ...codes });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.field('password') === undefined) throw thrown;
      // Said where it was typed.
      setRefused(error);
      setOpen(true);
      return;
    }
    await reread();
    setWanted(null);
    toast.success(t(($) => $.closing.asked));
  };
  return (
    <Group>
      <GuardedButton
        color="red"
        variant="light"
        leftSection={<IconDoorExit size={18} aria-hidden />}
        allowed={user.hasPassword && view.needs.every(leavable)}
        reason={reason}
        onClick={() => {
          setRefused(null);
          setOpen(true);
        }}
      >
        {t(($) => $.closing.ask)}
      </GuardedButton>
      <Modal opened={open} onClose={() => setOpen(false)} title={t(($) => $.closing.ask)} centered>
        {open && (
          <AskForm
            view={view}
            before={wanted}
            refused={refused}
            onNext={(next) => {
              setWanted(next);
              setOpen(false);
              setCoding(true);
            }}
          />
        )}
      </Modal>
      <CodesDialog
        app={user.twoFactor.app}
        opened={coding}
        onClose={() => setCoding(false)}
        title={t(($) => $.closing.ask)}
        hint={t(($) => $.closing.code, { email: user.email })}
        onSend={() => api.POST('/security-code', { body: { purpose: 'close-account' } })}
        onCodes={send}
      />
    </Group>
  );
}

interface AskFormProps {
  view: View;
  before: Wanted | null;
  refused: ApiError | null;
  onNext: (wanted: Wanted) => void;
}

/** What happens, said before the password is asked for. */
function AskForm({ view, before, refused, onNext }: AskFormProps) {
  const { t } = useTranslation('account');
  const { t: identity } = useTranslation('identity');
  const [password, setPassword] = useState('');
  const [reason, setReason] = useState(before?.reason ?? '');
  const [settled, setSettled] = useState(before?.walletSettled ?? false);
  const [checked, setChecked] = useState(false);
  const [said, setSaid] = useState(refused);
  const unsettled = view.wallet && !settled;
  const sums = view.needs.filter(leavable);
  // Agreed to is a sum, not whatever it becomes.
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set());
  const whole = ({ usdt, pyx }: Need) => pyx ?? usdt ?? '0';
  const sumOf = (what: Leavable['what']) => {
    const need = sums.find((one) => one.what === what);
    return need ? whole(need) : null;
  };
  const named = (need: Leavable) => `${need.what}:${whole(need)}`;
  const unnamed = sums.some((need) => !agreed.has(named(need)));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (password === '' || unsettled || unnamed) return;
        const why = reason.trim();
        onNext({
          password,
          ...(why !== '' && { reason: why }),
          ...(view.wallet && { walletSettled: settled }),
          ...(sums.length > 0 && {
            left: { available: sumOf('available'), pyx: sumOf('pyx'), ranks: sumOf('ranks') },
          }),
        });
      }}
    >
      <Stack gap="md">
        <List fz="sm" spacing={6}>
          <List.Item>{t(($) => $.closing.what1, { count: view.wait / DAY })}</List.Item>
          <List.Item>{t(($) => $.closing.what2)}</List.Item>
          <List.Item>{t(($) => $.closing.what3)}</List.Item>
          <List.Item>{t(($) => $.closing.what4)}</List.Item>
        </List>
        {view.wallet && (
          <Checkbox
            label={t(($) => $.closing.wallet)}
            checked={settled}
            onChange={(event) => setSettled(event.currentTarget.checked)}
            error={checked && unsettled && t(($) => $.closing.walletMissing)}
          />
        )}
        {sums.map((need) => (
          <Checkbox
            key={need.what}
            label={
              <>
                <span>{t(($) => $.closing.leave.agree[need.what])}</span>{' '}
                <Sum what={need.what} value={whole(need)} />
              </>
            }
            checked={agreed.has(named(need))}
            onChange={(event) => {
              const next = new Set(agreed);
              if (event.currentTarget.checked) next.add(named(need));
              else next.delete(named(need));
              setAgreed(next);
            }}
            error={checked && !agreed.has(named(need)) && t(($) => $.closing.walletMissing)}
          />
        ))}
        <Textarea
          label={t(($) => $.closing.reason)}
          description={t(($) => $.closing.reasonHint)}
          maxLength={500}
          autosize
          minRows={2}
          maxRows={6}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
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
          <Button type="submit" color="red">
            {identity(($) => $.register.next)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
