/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { patchQueue, QUEUE, REPORT, showDeposit } from '@/live/chain/deposits';
import { onLive } from '@/live/live';
import { countQueue, onQueue } from '@/live/queue';

export const walletLive = {
  listen: () => {
    const stops = [
      onLive('crypto_deposit.changed', ({ deposit }) => showDeposit(deposit)),
      onQueue(QUEUES.cryptoDeposits, ({ item, pending }) => {
        if (item.type !== 'crypto_deposit') return;
        const { deposit } = item;
        // What is new comes with facts that only the list knows (the customer); what left stays greyed.
        if (!patchQueue(deposit, pending) || deposit.status === 'pending_approval') void refetch(QUEUE);
        void refetch(REPORT);
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
