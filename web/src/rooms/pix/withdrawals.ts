/** The withdrawals' types, calls and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { compare, multiply, subtract } from '@/ui/money';

export type PixWithdrawal = Schemas['PixWithdrawalView'];
export type KeyKind = PixWithdrawal['keyKind'];

export const KEY_KINDS: readonly KeyKind[] = ['cpf', 'cnpj', 'phone', 'email', 'evp'];
export const WITHDRAWALS = ['get', '/list-withdraws-pix'] as const;

/** The word that a badge shows: what is approved is yet to be paid, or paid. */
export const wordOf = ({ status, paidAt }: Pick<PixWithdrawal, 'status' | 'paidAt'>): string =>
  status === 'approved' ? (paidAt ? 'paid' : 'to_pay') : status;

/** Two decimals at least, no zeros that say nothing: as a mail shows it. */
export const tidy = (value: string) => value.replace(/(\.\d\d\d*?)0+$/, '$1');

interface Listed {
  data: PixWithdrawal[];
}

/** Puts a withdrawal's newest state into every list that shows it. An older version never wins. */
export function patchWithdrawals(withdrawal: PixWithdrawal) {
  queryClient.setQueriesData<Listed>({ queryKey: WITHDRAWALS }, (page) =>
    page?.data.some(({ _id }) => _id === withdrawal._id)
      ? {
          ...page,
          data: page.data.map((row) =>
            row._id === withdrawal._id && row.version < withdrawal.version ? withdrawal : row,
          ),
        }
      : page,
  );
}

export const refetchWithdrawals = () => queryClient.invalidateQueries({ queryKey: WITHDRAWALS });

export interface Terms {
  minimum: string;
  feePercent: string;
  feeMinimum: string;
}

/** Fee and net as the server will compute them; none for an amount that it would refuse. */
export function parts(value: string, terms: Terms): { fee: string; net: string } | null {
  if (compare(value, terms.minimum) < 0) return null;
  const share = multiply(multiply(value, terms.feePercent, 8, 'down'), '0.01', 6, 'down');
  const fee = compare(share, terms.feeMinimum) < 0 ? terms.feeMinimum : share;
  const net = subtract(value, fee);
  return compare(net, '0') > 0 ? { fee, net } : null;
}
