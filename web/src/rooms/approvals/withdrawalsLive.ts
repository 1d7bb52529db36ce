/** What the room does with facts of the withdrawals' queue: the menu's number, the rows on screen. */
import { api, body } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { countQueue, onQueue } from '@/live/queue';
import {
  patchWithdrawalQueue,
  refetchWithdrawalQueue,
  refetchWithdrawalReport,
  toDo,
} from './withdrawalQueue';

export const withdrawalsQueueLive = {
  listen: () =>
    onQueue(QUEUES.pixWithdrawals, ({ item, pending }) => {
      if (item.type !== 'pix_withdrawal') return;
      const { withdrawal } = item;
      // What is new comes with facts that only the list knows (signals, the customer); what left stays greyed.
      if (!patchWithdrawalQueue(withdrawal, pending) || toDo(withdrawal)) void refetchWithdrawalQueue();
      void refetchWithdrawalReport();
    }),
  load: () =>
    countQueue(QUEUES.pixWithdrawals, async () => {
      const query = { status: 'pending', limit: 1 };
      return (await body(api.GET(QUEUES.pixWithdrawals.list, { params: { query } }))).pending;
    }),
};
