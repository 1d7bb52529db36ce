/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { showBalances, showOrder } from './exchange';

export const exchangeLive = {
  listen: () => {
    const stops = [
      onLive('presale.changed', ({ balances }) => showBalances(balances)),
      onLive('order.changed', ({ order }) => showOrder(order)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
