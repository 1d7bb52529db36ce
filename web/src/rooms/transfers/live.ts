/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { transferRows } from './reportQueue';
import { showTransfer } from './transfers';

export const transfersLive = {
  listen: () => {
    const stops = [
      onLive('transfer.changed', ({ transfer }) => showTransfer(transfer)),
      transferRows.listen(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
