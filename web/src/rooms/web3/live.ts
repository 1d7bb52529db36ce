/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { showMove } from './wallet';

export const web3Live = {
  listen: () => onLive('wallet.changed', ({ move }) => showMove(move)),
};
