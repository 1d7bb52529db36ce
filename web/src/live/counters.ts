/** Small numbers beside menu entries. Rooms set them from REST at start and after a reset, and from facts in between. */
import { create } from 'zustand';
import type { QueueRow } from '@/api/queues';

/** How much waits in a queue, and what else the menu counts. */
export type Counter = QueueRow['id'] | 'supportUnread' | 'robotsRunning';

export const useCounters = create<Partial<Record<Counter, number>>>()(() => ({}));

export const setCounter = (counter: Counter, value: number) =>
  useCounters.setState({ [counter]: Math.max(0, value) });
export const clearCounters = () => useCounters.setState({}, true);
