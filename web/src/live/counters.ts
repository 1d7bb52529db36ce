/** Small numbers beside menu entries that are no decisions (those stand in `waiting.ts`). Rooms set them from REST at start and after a
 *  reset, and from facts in between. */
import { create } from 'zustand';
import type { QUEUES } from '@/api/queues';

/** The tickets that wait have no counter of the server's: who answers them decides nothing. */
export type Counter = typeof QUEUES.tickets.id | 'supportUnread' | 'robotsRunning';

export const useCounters = create<Partial<Record<Counter, number>>>()(() => ({}));

export const setCounter = (counter: Counter, value: number) =>
  useCounters.setState({ [counter]: Math.max(0, value) });
export const clearCounters = () => useCounters.setState({}, true);
