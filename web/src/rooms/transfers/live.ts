/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { mayRead } from '@/api/session';
import { setCounter } from '@/live/counters';
import { onLive } from '@/live/live';
import { patchReport, refetchReport } from './reportQueue';
import { refetch, type Transfer } from './transfers';

export const transfersLive = {
  listen: () => {
    const stops = [
      onLive('transfer.changed', () => void refetch()),
      onLive('queue.changed', ({ queue, item, pending }) => {
        if (queue !== 'transfers') return;
        setCounter('transfersHeld', pending);
        const transfer = item.transfer as Transfer;
        // What is new comes with facts that only the list knows (its case); what left stays greyed.
        if (!patchReport(transfer, pending) || transfer.status === 'pending') void refetchReport();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: async () => {
    if (!mayRead('admin_permissions')) return;
    const { waiting } = await body(
      api.GET('/admin/transfers-reports', { params: { query: { status: 'pending', limit: 1 } } }),
    );
    setCounter('transfersHeld', waiting);
  },
};
