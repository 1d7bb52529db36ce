/** What the room does with facts while an approver is signed in: the menu's number, the rows on screen, the queues beside them. */
import { api, body } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { type Case, patchCases, refetchCases } from './cases';

/** A case tells no length: cases come and go in the middle of money's changes. It is asked for, once for a burst. */
const BURST_MS = 300;
let timer: ReturnType<typeof setTimeout> | null = null;

async function load() {
  if (!mayRead('admin_permissions')) return;
  const { pending } = await body(
    api.GET('/admin/compliance/cases', { params: { query: { status: 'open', limit: 1 } } }),
  );
  setCounter('cases', pending);
}

export const complianceLive = {
  listen: () => {
    const stop = onLive('compliance_case.changed', (event) => {
      const fresh = event.case as unknown as Case;
      patchCases(fresh);
      timer ??= setTimeout(() => {
        timer = null;
        void load().catch(() => {});
        void refetchCases();
        // The queues show the cases of what waits in them.
        for (const path of [
          '/admin/list-deposits-pix-approve-reject',
          '/admin/list-withdraw-pix-approve-reject',
          '/admin/crypto-withdrawal-list',
        ])
          void queryClient.invalidateQueries({ queryKey: ['get', path] });
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
