import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { refetch } from '@/api/lists';
import { Countdown } from '@/ui/Countdown';
import { useFormat } from '@/ui/format';
import { isPositive } from '@/ui/money';
import { useNow } from '@/ui/useNow';

export type OutboundState = Schemas['OutboundState'];

interface OutboundNoticeProps {
  state: OutboundState | undefined;
  /** Whether young money is told here: a form with `useSpendable` tells it itself. */
  young?: boolean;
}

/** Why outgoing money waits, or how much of it does, said before somebody types. Nothing when nothing stands in the way; a pause
 *  stands above every screen. */
export function OutboundNotice({ state, young = true }: OutboundNoticeProps) {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const now = useNow(30_000);
  if (!state) return null;
  const notes: { key: string; color: string; text: ReactNode }[] = [];
  if (state.hold && Date.parse(state.hold.until) > now)
    notes.push({
      key: 'hold',
      color: 'gold',
      text: (
        <>
          <span>
            {t(($) => $.outbound.hold, {
              until: format.dateTime(state.hold.until),
              reason: state.hold.reason,
            })}
          </span>{' '}
          <span>{t(($) => $.outbound.left)}</span>{' '}
          <Countdown until={state.hold.until} onEnd={() => void refetch('/outbound-state')} />
        </>
      ),
    });
  if (isPositive(state.debt))
    notes.push({
      key: 'debt',
      color: 'red',
      text: t(($) => $.outbound.debt, { value: format.usdt(state.debt) }),
    });
  if (young && isPositive(state.young) && state.youngUntil)
    notes.push({
      key: 'young',
      color: 'blue',
      text: t(($) => $.outbound.young, {
        value: format.usdt(state.young),
        until: format.dateTime(state.youngUntil),
      }),
    });
  return (
    <>
      {notes.map(({ key, color, text }) => (
        // What counts down would be read out each second.
        <Alert
          key={key}
          color={color}
          variant="light"
          role={key === 'hold' ? 'note' : 'status'}
          data-outbound={key}
        >
          {text}
        </Alert>
      ))}
    </>
  );
}

/** Nothing may leave at all. */
export const isStopped = (state: Pick<OutboundState, 'hold' | 'pause' | 'debt'> | undefined): boolean =>
  !!state && (!!state.hold || !!state.pause || isPositive(state.debt));
