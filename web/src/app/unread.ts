/** What one has not read yet, in the window's title: answers to one's own tickets, and for who answers them those that wait. */
import { QUEUES } from '@/api/queues';
import { type Counter, useCounters } from '@/live/counters';
import { setUnread } from '@/ui/pageTitle';

const UNREAD: readonly Counter[] = ['supportUnread', QUEUES.tickets.id];

const tell = (counters: Partial<Record<Counter, number>>) =>
  setUnread(UNREAD.reduce((sum, counter) => sum + (counters[counter] ?? 0), 0));

/** Returns how to stop. */
export function unreadInTitle(): () => void {
  tell(useCounters.getState());
  return useCounters.subscribe(tell);
}
