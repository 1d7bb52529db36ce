/** What the room does with facts while an approver is signed in: the menu's number, the rows on screen. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { type Deposit, patchQueue, refetchQueue } from './queue';

export const approvalsLive = {
  listen: () =>
    onLive('queue.changed', ({ queue, item, pending }) => {
      if (queue !== 'pix-deposits') return;
      setCounter('pixPending', pending);
      const deposit = item.deposit as Deposit;
      // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
      if (!patchQueue(deposit, pending) || deposit.status === 'pending_approval') void refetchQueue();
    }),
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { pending } = await body(
      api.GET('/admin/list-deposits-pix-approve-reject', {
        params: { query: { status: 'pending_approval', limit: 1 } },
      }),
    );
    setCounter('pixPending', pending);
  },
};
