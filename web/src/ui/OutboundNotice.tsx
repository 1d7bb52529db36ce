import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useFormat } from './format';
import { isPositive } from './money';
import { useNow } from './useNow';

export type OutboundState = Schemas['OutboundState'];

/** Why outgoing money waits, or how much of it does, said before somebody types. Nothing when nothing stands in the way; a pause
 *  stands above every screen. */
export function OutboundNotice({ state }: { state: OutboundState | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow(30_000);
  if (!state) return null;
  const notes: { key: string; color: string; text: string }[] = [];
  if (state.hold && Date.parse(state.hold.until) > now)
    notes.push({
      key: 'hold',
      color: 'gold',
      text: t(($) => $.outbound.hold, {
        until: format.dateTime(state.hold.until),
        reason: state.hold.reason,
      }),
    });
  if (isPositive(state.debt))
    notes.push({
      key: 'debt',
      color: 'red',
      text: t(($) => $.outbound.debt, { value: format.usdt(state.debt) }),
    });
  if (isPositive(state.young) && state.youngUntil)
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
        <Alert key={key} color={color} variant="light" role="status" data-outbound={key}>
          {text}
        </Alert>
      ))}
    </>
  );
}

/** Nothing may leave at all. */
export const isStopped = (state: OutboundState | undefined): boolean =>
  !!state && (!!state.hold || !!state.pause || isPositive(state.debt));
