import { fromWei } from '@/live/chain/deposits';
import { Money } from '@/ui/Money';
import type { Withdrawal } from './withdrawals';

type Valued = Pick<Withdrawal, 'coin' | 'amount' | 'value'>;

/** What is taken out: USDT of the balance; PYX leave whole, so their number. */
export function Value({ of, digits = 6, unit = true }: { of: Valued; digits?: 4 | 6; unit?: boolean }) {
  return of.coin === 'pyx' ? (
    <Money value={fromWei(of.amount)} currency="PYX" digits={6} />
  ) : (
    <Money value={of.value} digits={digits} unit={unit} />
  );
}
