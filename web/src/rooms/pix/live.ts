/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { patchLists, refetchLists } from './deposits';
import { patchWithdrawals, refetchWithdrawals } from './withdrawals';

export const pixLive = {
  listen: () => {
    const stops = [
      onLive('pix_deposit.changed', ({ deposit }) => {
        // A deposit leaves or enters a filtered list by its status: rows at rest are patched first, so that nothing flickers.
        patchLists(deposit);
        void refetchLists();
      }),
      onLive('pix_withdrawal.changed', ({ withdrawal }) => {
        patchWithdrawals(withdrawal);
        void refetchWithdrawals();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
