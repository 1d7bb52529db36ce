/** What the room does with facts while somebody is signed in. */
import { api, body } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { onLive } from '@/live/live';
import { countQueue, onQueue } from '@/live/queue';
import { patchReport, refetchReport } from './reportQueue';
import { showTransfer } from './transfers';

export const transfersLive = {
  listen: () => {
    const stops = [
      onLive('transfer.changed', ({ transfer }) => showTransfer(transfer)),
      onQueue(QUEUES.transfers, ({ item, pending }) => {
        if (item.type !== 'transfer') return;
        const { transfer } = item;
        // What is new comes with facts that only the list knows (its case); what left stays greyed.
        if (!patchReport(transfer, pending) || transfer.status === 'pending') void refetchReport();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
  load: () =>
    countQueue(QUEUES.transfers, async () => {
      const query = { status: 'pending', limit: 1 };
      return (await body(api.GET(QUEUES.transfers.list, { params: { query } }))).waiting;
    }),
};
