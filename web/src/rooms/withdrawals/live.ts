/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import {
  type HotWallet,
  patchHotWallet,
  patchWithdrawals,
  refetchQueue,
  refetchWithdrawals,
  toDo,
  type Withdrawal,
} from './withdrawals';

export const withdrawalsLive = {
  listen: () => {
    const stops = [
      onLive('crypto_withdrawal.changed', (event) => {
        patchWithdrawals(event.withdrawal as unknown as Withdrawal);
        void refetchWithdrawals();
      }),
      onLive('hot_wallet.changed', (event) => patchHotWallet(event.wallet as unknown as HotWallet)),
      onLive('queue.changed', ({ queue, item, pending }) => {
        if (queue !== 'crypto-withdrawals') return;
        setCounter('cryptoWithdrawals', pending);
        const withdrawal = item.withdrawal as Withdrawal;
        // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
        if (!patchWithdrawals(withdrawal, pending) || toDo(withdrawal)) void refetchQueue();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { pending } = await body(
      api.GET('/admin/crypto-withdrawal-list', { params: { query: { status: 'pending', limit: 1 } } }),
    );
    setCounter('cryptoWithdrawals', pending);
  },
};
