/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { patchLists, refetchQueue, showDeposit } from '@/live/chain/deposits';
import { onLive } from '@/live/live';
import { countQueue, onQueue } from '@/live/queue';

export const walletLive = {
  listen: () => {
    const stops = [
      onLive('crypto_deposit.changed', ({ deposit }) => showDeposit(deposit)),
      onQueue(QUEUES.cryptoDeposits, ({ item }) => {
        if (item.type === 'crypto_deposit') patchLists(item.deposit);
        void refetchQueue();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: () =>
    countQueue(QUEUES.cryptoDeposits, async () => {
      const query = { status: 'pending_approval', limit: 1 };
      return (await body(api.GET(QUEUES.cryptoDeposits.list, { params: { query } }))).pending;
    }),
};
