/** What somebody wants to know the origin of: one movement, or the newest ones of an account. The shell shows the answer. */
import { create } from 'zustand';

export interface OriginAsk {
  /** An account of the statement; all of them when absent. */
  account?: string;
  /** Kinds of movements, separated by commas. */
  kind?: string;
  /** One movement. */
  transfer?: string;
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
