/** The user's own accounts as last told: REST seeds them, `balance.changed` overwrites; an older version never wins. */
import { create } from 'zustand';
import type { AccountKind } from './protocol';

export interface AccountBalance {
  balance: string;
  version: number;
}

export const useBalances = create<Partial<Record<AccountKind, AccountBalance>>>()(() => ({}));

export function applyBalances(
  accounts: readonly { account: AccountKind; balance: string; version: number }[],
) {
  useBalances.setState((state) => {
    const next: typeof state = {};
    for (const { account, balance, version } of accounts)
      if (version >= (state[account]?.version ?? -1)) next[account] = { balance, version };
    return next;
  });
}

export const clearBalances = () => useBalances.setState({}, true);
