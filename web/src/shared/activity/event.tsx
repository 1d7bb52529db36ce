/** An event of one's money in words and figures: the same on every screen. */
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { MemberName } from '@/shared/network/MemberName';
import { Money } from '@/ui/Money';
import { isZero, placesOf } from '@/ui/money';

export type ActivityEvent = Schemas['ActivityEvent'];
/** What is said of an event, or of one of its movements. */
type Said = Pick<ActivityEvent, 'kind' | 'amount'> &
  Partial<Pick<ActivityEvent, 'moved' | 'pyx' | 'licence' | 'counterparty'>>;

/** "Compra de licença #1", "Transferência enviada @bea". */
export function EventName({ event: { kind, licence, counterparty } }: { event: Said }) {
  const { t } = useTranslation('statement');
  return (
    <>
      <span>{t(($) => $.events[kind])}</span>
      {licence != null && <span translate="no">{` #${licence}`}</span>}
      {counterparty && (
        <span>
          {' '}
          <MemberName username={counterparty} />
        </span>
      )}
    </>
  );
}

/** What it did to the total, with its sign; of what changed nothing there, what it moved, without one. */
export function EventAmount({ event, digits = 2 }: { event: Said; digits?: 2 | 4 }) {
  const { amount, moved, pyx } = event;
  const still = isZero(amount);
  return (
    <span style={{ display: 'inline-flex', flexDirection: 'column', alignItems: 'flex-end' }}>
      {(moved || (still && !pyx)) && (
        <Money value={moved ?? amount} digits={placesOf(moved ?? amount, digits)} />
      )}
      {!still && <Money value={amount} digits={placesOf(amount, digits)} sign />}
      {pyx && <Money value={pyx} currency="PYX" digits={placesOf(pyx, 4)} sign />}
    </span>
  );
}

/** Where it stands, where that is more than that it happened. */
export function EventState({ state }: { state: ActivityEvent['state'] }) {
  const { t } = useTranslation('statement');
  if (state === 'done') return null;
  const color = { paid: undefined, waiting: 'var(--gold-text)', returned: undefined, undone: 'var(--down)' };
  return (
    <>
      {' · '}
      <Text span fz="inherit" c={color[state]}>
        {t(($) => $.states[state])}
      </Text>
    </>
  );
}
