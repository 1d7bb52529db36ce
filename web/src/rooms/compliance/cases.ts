/** The room's types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type Case = Schemas['ComplianceCaseView'];
export type CasePage = Schemas['CasePage'];
export type Pause = Schemas['PauseView'];

export const CASES = ['get', '/admin/compliance/cases'] as const;
export const PAUSES = ['get', '/admin/outbound-pauses'] as const;

/** The screen on which what waits for a case is decided, found by its user. */
export function screenOf({ waits, username }: Pick<Case, 'waits' | 'username'>): string | null {
  const search = `search=${encodeURIComponent(username)}`;
  switch (waits) {
    case 'transfer':
      return `/transfers-reports?tab=held&${search}`;
    case 'pix_deposit':
      return `/deposits-pix-approve-reject?${search}`;
    case 'pix_withdrawal':
      return `/pix-withdrawal-list?${search}`;
    case 'crypto_deposit':
      return `/crypto-deposits-list2?tab=pending&${search}`;
    case 'crypto_withdrawal':
      return `/crypto-withdrawal-list?${search}`;
    default:
      return null;
  }
}

/** What waits is decided on its own screen, and the case with it; a deposit by PIX waits until its case is decided here. */
export const isDecidedHere = ({ status, waits }: Pick<Case, 'status' | 'waits'>): boolean =>
  status === 'open' && (waits === null || waits === undefined || waits === 'pix_deposit');

/** Writes a case's newest state over the rows that show it; true when one did. */
export function patchCases(fresh: Case): boolean {
  let shown = false;
  queryClient.setQueriesData<CasePage>({ queryKey: CASES }, (page) => {
    if (!page) return page;
    const has = page.data.some(({ _id }) => _id === fresh._id);
    shown ||= has;
    return has
      ? {
          ...page,
          data: page.data.map((row) => (row._id === fresh._id && row.version < fresh.version ? fresh : row)),
        }
      : page;
  });
  return shown;
}

export const refetchCases = () => queryClient.invalidateQueries({ queryKey: CASES });
export const refetchPauses = () => queryClient.invalidateQueries({ queryKey: PAUSES });
