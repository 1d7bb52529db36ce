import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { came, currencyOf, type Deposit, fromWei, stageOf } from '@/live/chain/deposits';
import { useFormat } from '@/ui/format';
import { tidy } from '@/ui/money';

/** How a deposit ended, in one sentence; nothing while it is on its way. */
export function Outcome({ deposit }: { deposit: Deposit }) {
  const { t } = useTranslation('wallet');
  const format = useFormat();
  const said = sentence();
  if (!said) return null;
  const [color, text] = said;
  return (
    <Alert color={color} variant="light" role="status">
      {text}
    </Alert>
  );

  function sentence(): [string, string] | null {
    const credited = format.decimal(deposit.credited ?? '0', 2);
    if (deposit.reversed) return ['red', t(($) => $.outcome.reversed)];
    if (deposit.status === 'rejected')
      return ['red', t(($) => $.outcome.rejected, { reason: deposit.refund ?? deposit.reason ?? '' })];
    if (deposit.status === 'pending_approval' && deposit.pendingCause)
      return ['gold', t(($) => $.cause[deposit.pendingCause ?? 'compliance'])];
    if (deposit.status === 'canceled') return ['gray', t(($) => $.outcome.canceled)];
    if (deposit.status === 'cancelled_timed_out') return ['gray', t(($) => $.outcome.nothing)];
    if (deposit.outcome === 'dust') return ['gray', t(($) => $.outcome.dust)];
    if (stageOf(deposit) !== 'credited') return null;
    switch (deposit.outcome) {
      case 'underpaid':
        return [
          'gold',
          deposit.due
            ? t(($) => $.outcome.underpaid, {
                came: format.exact(tidy(came(deposit))),
                due: format.exact(tidy(fromWei(deposit.due))),
                credited,
                fee: format.exact(tidy(deposit.fee ?? '0', 2)),
              })
            : t(($) => $.outcome.plain, { credited }),
        ];
      case 'late':
        return ['gold', t(($) => $.outcome.late, { credited })];
      case 'plan_gone':
        return ['gold', t(($) => $.outcome.planGone, { credited })];
      case 'wrong_token':
        return ['gold', t(($) => $.outcome.wrongToken, { coin: currencyOf(deposit.coin), credited })];
      case 'exact':
      case 'overpaid':
        return ['mint', deposit.licence ? t(($) => $.outcome.licence) : t(($) => $.outcome.received)];
      default:
        return ['mint', t(($) => $.outcome.plain, { credited })];
    }
  }
}
