/** What the room does with facts while somebody is signed in. */
import { depositRows, showDeposit } from '@/live/chain/deposits';
import { onLive } from '@/live/live';

export const walletLive = {
  listen: () => {
    const stops = [
      onLive('crypto_deposit.changed', ({ deposit }) => showDeposit(deposit)),
      depositRows.listen(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
