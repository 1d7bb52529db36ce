/** The opportunities that the desk shows: rows that stay where they are, so that nobody presses another one than they meant. */
import { useEffect, useReducer } from 'react';
import { useGlimpse } from '@/live/live';
import type { GlimpseOf } from '@/live/protocol';

export interface Offer {
  route: string;
  /** Net edge in percent. */
  edge: string;
  size: string;
  ageMs: number;
  /** When it was seen last. */
  seenAt: number;
  /** No longer told by the desk; stays a moment, so that the list does not jump under the hand. */
  gone: boolean;
}

type Told = Pick<GlimpseOf<'opportunity'>, 'route' | 'edge' | 'size' | 'ageMs'>;
type Step = { told: Told; now: number } | { now: number };

/** The desk tells five times a second what is open: silent for longer than a loaded socket is late, it is over. */
export const GONE_AFTER_MS = 1_200;
export const FORGOTTEN_AFTER_MS = 4_000;

/** New ones come last; one that is told again wakes up in its place. */
export function step(offers: readonly Offer[], action: Step): readonly Offer[] {
  if ('told' in action) {
    const { route, edge, size, ageMs } = action.told;
    const offer: Offer = { route, edge, size, ageMs, seenAt: action.now, gone: false };
    return offers.some((one) => one.route === route)
      ? offers.map((one) => (one.route === route ? offer : one))
      : [...offers, offer];
  }
  const kept = offers.filter((one) => action.now - one.seenAt < FORGOTTEN_AFTER_MS);
  const fading = kept.some((one) => !one.gone && action.now - one.seenAt >= GONE_AFTER_MS);
  if (kept.length === offers.length && !fading) return offers;
  return kept.map((one) => (action.now - one.seenAt >= GONE_AFTER_MS ? { ...one, gone: true } : one));
}

export function useOffers(): readonly Offer[] {
  const [offers, dispatch] = useReducer(step, []);
  useGlimpse('opportunity', (told) => dispatch({ told, now: Date.now() }), 'desk');
  useEffect(() => {
    const timer = setInterval(() => dispatch({ now: Date.now() }), 400);
    return () => clearInterval(timer);
  }, []);
  return offers;
}
