/** What the room does with facts while somebody who may look is signed in. */
import { onLive } from '@/live/live';
import { refetchTrading, showChange } from './rules';

export const rulesLive = {
  listen: () => {
    const stops = [
      onLive('rules.changed', ({ change }) => showChange(change)),
      onLive('live_trading.changed', () => void refetchTrading()),
      onLive('live_operations.changed', () => void refetchTrading()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
