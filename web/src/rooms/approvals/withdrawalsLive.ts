/** What the room does with facts of the withdrawals' queue: the menu's number, the rows on screen. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { patchWithdrawalQueue, refetchWithdrawalQueue, toDo, type Withdrawal } from './withdrawalQueue';

export const withdrawalsQueueLive = {
  listen: () =>
    onLive('queue.changed', ({ queue, item, pending }) => {
      if (queue !== 'pix-withdrawals') return;
      setCounter('pixWithdrawals', pending);
      const withdrawal = item.withdrawal as Withdrawal;
      // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
      if (!patchWithdrawalQueue(withdrawal, pending) || toDo(withdrawal)) void refetchWithdrawalQueue();
    }),
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { pending } = await body(
      api.GET('/admin/list-withdraw-pix-approve-reject', {
        params: { query: { status: 'pending', limit: 1 } },
      }),
    );
    setCounter('pixWithdrawals', pending);
  },
};
