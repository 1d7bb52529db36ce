/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { type PixDeposit, patchLists, refetchLists } from './deposits';
import { type PixWithdrawal, patchWithdrawals, refetchWithdrawals } from './withdrawals';

export const pixLive = {
  listen: () => {
    const stops = [
      onLive('pix_deposit.changed', (event) => {
        const deposit = event.deposit as unknown as PixDeposit;
        // A deposit leaves or enters a filtered list by its status: rows at rest are patched first, so that nothing flickers.
        patchLists(deposit);
        void refetchLists();
      }),
      onLive('pix_withdrawal.changed', (event) => {
        patchWithdrawals(event.withdrawal as unknown as PixWithdrawal);
        void refetchWithdrawals();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
