/** Small numbers beside menu entries. Rooms set them from REST at start and after a reset, and from facts in between. */
import { create } from 'zustand';

export type Counter =
  | 'pixPending'
  | 'pixWithdrawals'
  | 'cryptoPending'
  | 'transfersHeld'
  | 'cases'
  | 'cryptoWithdrawals'
  | 'poolRevenue'
  | 'ticketsWaiting'
  | 'supportUnread'
  | 'robotsRunning'
  | 'notifications';

export const useCounters = create<Record<Counter, number>>()(() => ({
  pixPending: 0,
  pixWithdrawals: 0,
  cryptoPending: 0,
  transfersHeld: 0,
  cases: 0,
  cryptoWithdrawals: 0,
  poolRevenue: 0,
  ticketsWaiting: 0,
  supportUnread: 0,
  robotsRunning: 0,
  notifications: 0,
}));

export const setCounter = (counter: Counter, value: number) =>
  useCounters.setState({ [counter]: Math.max(0, value) });
export const clearCounters = () => useCounters.setState(useCounters.getInitialState());
