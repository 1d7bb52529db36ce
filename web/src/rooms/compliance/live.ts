/** What the room does with facts while an approver is signed in: the rows on screen, the queues beside them. */
import { refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';
import { CASES, patchCases } from './cases';

/** A case tells no length: cases come and go in the middle of money's changes. The lists are asked, once for a burst. */
const BURST_MS = 300;
let timer: ReturnType<typeof setTimeout> | null = null;

export const complianceLive = {
  listen: () => {
    const stop = onLive('compliance_case.changed', (event) => {
      patchCases(event.case);
      timer ??= setTimeout(() => {
        timer = null;
        // The queues show the cases of what waits in them.
        void refetch(
          CASES,
          QUEUES.pixDeposits.list,
          QUEUES.pixWithdrawals.list,
          QUEUES.cryptoWithdrawals.list,
        );
      }, BURST_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
  },
};
