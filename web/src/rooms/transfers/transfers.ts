/** The room's types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type Transfer = Schemas['MemberTransferView'];
export type TransferStatus = Transfer['status'];
export const STATUSES: readonly TransferStatus[] = ['complete', 'pending', 'rejected', 'canceled'];

/** One's list, the report and what may still leave. */
export const refetch = () =>
  Promise.allSettled(
    ['/transfers-list', '/admin/transfers-reports', '/outbound-state'].map((path) =>
      queryClient.invalidateQueries({ queryKey: ['get', path] }),
    ),
  );
