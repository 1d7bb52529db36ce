/** The user's own accounts as last told: REST seeds them, `balance.changed` overwrites; an older version never wins. */
import { create } from 'zustand';
import type { Schemas } from '@/api/client';

type Told = Schemas['AccountBalance'];
export type AccountBalance = Pick<Told, 'balance' | 'version'>;

export const useBalances = create<Partial<Record<Told['account'], AccountBalance>>>()(() => ({}));

export function applyBalances(accounts: readonly Told[]) {
  useBalances.setState((state) => {
    const next: typeof state = {};
    for (const { account, balance, version } of accounts)
      if (version >= (state[account]?.version ?? -1)) next[account] = { balance, version };
    return next;
  });
}

export const clearBalances = () => useBalances.setState({}, true);
