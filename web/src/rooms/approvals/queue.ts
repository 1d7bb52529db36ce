/** The room's types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';

export type QueueRow = Schemas['PixQueueRow'];
export type QueuePage = Schemas['PixQueuePage'];
export type Deposit = Schemas['PixDepositView'];

export const QUEUE = ['get', '/admin/list-deposits-pix-approve-reject'] as const;

/** Roles that a list can be narrowed to. */
export const FUNCTIONS = [
  'customer',
  'salesperson',
  'store_employee',
  'system_employee',
  'administrator',
] as const;

/** The bank's id: E, eight characters of the bank, the minute of the payment, eleven free ones. */
export const isEndToEndId = (text: string): boolean =>
  /^E[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/.test(text.trim());

/** What an earlier approver or the bank's statement says of the payment: with it a deposit can be approved among others. */
export function knownPayment({
  claim,
  statement,
}: Pick<QueueRow, 'claim' | 'statement'>): { endToEndId: string; payerName: string; brl: string } | null {
  const { endToEndId, payerName, brl } = claim ?? statement ?? {};
  return endToEndId && isEndToEndId(endToEndId) && payerName && brl ? { endToEndId, payerName, brl } : null;
}

/** When the payer's bank took the order, written inside its id in UTC. */
export function paidAt(endToEndId: string): number {
  const [, year, month, day, hour, minute] =
    /^E.{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(endToEndId.trim())?.map(Number) ?? [];
  return year === undefined || month === undefined
    ? Number.NaN
    : Date.UTC(year, month - 1, day, hour, minute);
}

/** Writes a deposit's newest state over the rows that show it: a decided row stays where it is, greyed, until the next load. */
export function patchQueue(deposit: Deposit, pending?: number): boolean {
  let shown = false;
  queryClient.setQueriesData<QueuePage>({ queryKey: QUEUE }, (page) => {
    if (!page) return page;
    const has = page.data.some(({ _id }) => _id === deposit._id);
    shown ||= has;
    return {
      ...page,
      pending: pending ?? page.pending,
      data: has
        ? page.data.map((row) =>
            row._id === deposit._id && row.version < deposit.version ? { ...row, ...deposit } : row,
          )
        : page.data,
    };
  });
  return shown;
}

export const refetchQueue = () => queryClient.invalidateQueries({ queryKey: QUEUE });
