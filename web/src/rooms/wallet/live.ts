/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { type Deposit, patchLists, refetchLists, refetchQueue } from '@/live/chain/deposits';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';

export const walletLive = {
  listen: () => {
    const stops = [
      onLive('crypto_deposit.changed', (event) => {
        patchLists(event.deposit as unknown as Deposit);
        void refetchLists();
      }),
      onLive('queue.changed', ({ queue, item, pending }) => {
        if (queue !== 'crypto-deposits') return;
        setCounter('cryptoPending', pending);
        patchLists(item.deposit as Deposit);
        void refetchQueue();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { pending } = await body(
      api.GET('/admin/all-crypto-deposits-list', {
        params: { query: { status: 'pending_approval', limit: 1 } },
      }),
    );
    setCounter('cryptoPending', pending);
  },
};
