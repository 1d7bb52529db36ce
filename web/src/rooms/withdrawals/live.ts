/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';
import { countQueue, onQueue } from '@/live/queue';
import {
  patchHotWallet,
  patchWithdrawals,
  refetchQueue,
  refetchReport,
  showWithdrawal,
  toDo,
} from './withdrawals';

export const withdrawalsLive = {
  listen: () => {
    const stops = [
      onLive('crypto_withdrawal.changed', ({ withdrawal }) => showWithdrawal(withdrawal)),
      // A change of password, factor or address holds what leaves: no page shows what stood before.
      onLive('user.changed', () => void refetch('/outbound-state')),
      onLive('hot_wallet.changed', ({ wallet }) => patchHotWallet(wallet)),
      onQueue(QUEUES.cryptoWithdrawals, ({ item, pending }) => {
        if (item.type !== 'crypto_withdrawal') return;
        const { withdrawal } = item;
        // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
        if (!patchWithdrawals(withdrawal, pending) || toDo(withdrawal)) void refetchQueue();
        void refetchReport();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: () =>
    countQueue(QUEUES.cryptoWithdrawals, async () => {
      const query = { status: 'pending', limit: 1 };
      return (await body(api.GET(QUEUES.cryptoWithdrawals.list, { params: { query } }))).pending;
    }),
};
