/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { showDeposit } from './deposits';
import { showWithdrawal } from './withdrawals';

export const pixLive = {
  listen: () => {
    const stops = [
      onLive('pix_deposit.changed', ({ deposit }) => showDeposit(deposit)),
      onLive('pix_withdrawal.changed', ({ withdrawal }) => showWithdrawal(withdrawal)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
