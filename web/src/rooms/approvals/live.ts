/** What the room does with facts while an approver is signed in: the rows on screen follow them. */
import { depositRows } from './queue';
import { withdrawalRows } from './withdrawalQueue';

export const approvalsLive = {
  listen: () => {
    const stops = [depositRows.listen(), withdrawalRows.listen()];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
