import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { refetch } from '@/api/lists';
import { useUser } from '@/api/session';
import { useBalances } from '@/live/balances';
import { useLiveEvent } from '@/live/live';
import { useFormat } from '@/ui/format';
import { spendableOf } from './spendable';

/** Young money grows old, and the day of the limit goes on, without a fact that says so. */
const AGAIN_MS = 60_000;

interface Leaving {
  balance: string | undefined;
  max: string | undefined;
  why: ReactNode;
}

/** How much of the balance one withdrawal may take now (none while it is not known), and why it is not all of it: the live balance and
 *  what the server says stands before it. What a hold, a pause and a debt are stands above the form (`OutboundNotice`). */
export function useSpendable(): Leaving {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const user = useUser();
  const balance = useBalances(({ available }) => available?.balance) ?? user?.balance;
  const { data: state } = $api.useQuery('get', '/outbound-state', undefined, { refetchInterval: AGAIN_MS });
  // What a deposit brings is young.
  useLiveEvent('pix_deposit.changed', () => void refetch('/outbound-state'));
  if (balance === undefined) return { balance, max: undefined, why: null };
  if (!state) return { balance, max: balance, why: null };
  const { max, young, limit } = spendableOf(balance, state);
  const reasons = [
    young &&
      state.youngUntil &&
      t(($) => $.spendable.young, {
        balance: format.usdt(balance),
        young: format.usdt(young),
        until: format.dateTime(state.youngUntil),
      }),
    limit === 'stopped' && t(($) => $.spendable.stopped),
    limit === 'request' && t(($) => $.spendable.request, { limit: format.usdt(state.perTransaction) }),
    limit === 'day' &&
      t(($) => $.spendable.day, {
        left: format.usdt(state.leftToday),
        limit: format.usdt(state.perDay),
      }),
  ].filter((reason) => typeof reason === 'string');
  return {
    balance,
    max,
    why:
      reasons.length > 0 ? (
        <Stack component="span" gap={2} data-testid="spendable">
          {reasons.map((reason) => (
            <span key={reason}>{reason}</span>
          ))}
        </Stack>
      ) : null,
  };
}
