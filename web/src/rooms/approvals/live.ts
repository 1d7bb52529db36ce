/** What the room does with facts while an approver is signed in: the menu's number, the rows on screen. */
import { api, body } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { countQueue, onQueue } from '@/live/queue';
import { patchQueue, refetchQueue, refetchReport } from './queue';

export const approvalsLive = {
  listen: () =>
    onQueue(QUEUES.pixDeposits, ({ item, pending }) => {
      if (item.type !== 'pix_deposit') return;
      const { deposit } = item;
      // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
      if (!patchQueue(deposit, pending) || deposit.status === 'pending_approval') void refetchQueue();
      void refetchReport();
    }),
  load: () =>
    countQueue(QUEUES.pixDeposits, async () => {
      const query = { status: 'pending_approval', limit: 1 };
      return (await body(api.GET(QUEUES.pixDeposits.list, { params: { query } }))).pending;
    }),
};
