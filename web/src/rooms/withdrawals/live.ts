/** What the room does with facts while somebody is signed in. */
import { refetch } from '@/api/lists';
import { onLive } from '@/live/live';
import { patchHotWallet, showWithdrawal, withdrawalRows } from './withdrawals';

export const withdrawalsLive = {
  listen: () => {
    const stops = [
      onLive('crypto_withdrawal.changed', ({ withdrawal }) => showWithdrawal(withdrawal)),
      // A change of password, factor or address holds what leaves: no page shows what stood before.
      onLive('user.changed', () => void refetch('/outbound-state')),
      onLive('hot_wallet.changed', ({ wallet }) => patchHotWallet(wallet)),
      withdrawalRows.listen(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
