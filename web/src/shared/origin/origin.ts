/** What somebody wants to know the origin of: one movement, an event with all of its own, or the newest ones of an account. The shell shows
 *  the answer. */
import { create } from 'zustand';
import type { ActivityEvent } from '@/shared/activity/event';

export interface OriginAsk {
  /** An account of the statement; all of them when absent. */
  account?: string;
  /** Kinds of movements, separated by commas. */
  kind?: string;
  /** One movement. */
  transfer?: string;
  /** An event: its movements in the books. */
  event?: ActivityEvent;
}

interface Origin {
  ask: OriginAsk | null;
  open: (ask: OriginAsk) => void;
  close: () => void;
}

export const useOrigin = create<Origin>()((set) => ({
  ask: null,
  open: (ask) => set({ ask }),
  close: () => set({ ask: null }),
}));

/** What `Money` does when it is pressed. */
export const askOrigin = (ask: OriginAsk) => () => useOrigin.getState().open(ask);
