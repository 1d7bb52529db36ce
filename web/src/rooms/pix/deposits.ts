/** The room's types, calls and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type PixDeposit = Schemas['PixDepositView'];
export type PixStatus = PixDeposit['status'];

export const LIST = ['get', '/list-deposits-pix'] as const;

/** The word that a badge shows: a deposit without proof waits for one. */
export const statusWord = (status: PixStatus): string => (status === 'pending' ? 'awaiting_proof' : status);

interface Listed {
  data: PixDeposit[];
}

/** Puts a deposit's newest state into every list that shows it; true when one did. An older version never wins. */
export function patchLists(deposit: PixDeposit): boolean {
  let shown = false;
  queryClient.setQueriesData<Listed>({ queryKey: LIST }, (page) => {
    if (!page?.data.some(({ _id }) => _id === deposit._id)) return page;
    shown = true;
    return {
      ...page,
      data: page.data.map((row) =>
        row._id === deposit._id && row.version < deposit.version ? deposit : row,
      ),
    };
  });
  return shown;
}

export const refetchLists = () => queryClient.invalidateQueries({ queryKey: LIST });
