/** What the room does with facts while an approver is signed in: the menu's number, the rows on screen, the queues beside them. */
import { $api } from '@/api/hooks';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';
import { countQueue } from '@/live/queue';
import { patchCases, refetchCases } from './cases';

/** A case tells no length: cases come and go in the middle of money's changes. It is asked for, once for a burst. */
const BURST_MS = 300;
let timer: ReturnType<typeof setTimeout> | null = null;

/** The screen shows the same number. */
const OPEN = $api.queryOptions('get', QUEUES.compliance.list, {
  params: { query: { status: 'open', limit: 1 } },
});

const load = () =>
  countQueue(
    QUEUES.compliance,
    async () => (await queryClient.fetchQuery({ ...OPEN, staleTime: 0 })).pending,
  );

export const complianceLive = {
  listen: () => {
    const stop = onLive('compliance_case.changed', (event) => {
      patchCases(event.case);
      timer ??= setTimeout(() => {
        timer = null;
        void load().catch(() => {});
        void refetchCases();
        // The queues show the cases of what waits in them.
        for (const { list } of [QUEUES.pixDeposits, QUEUES.pixWithdrawals, QUEUES.cryptoWithdrawals])
          void queryClient.invalidateQueries({ queryKey: ['get', list] });
      }, BURST_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
  },
  load,
};
