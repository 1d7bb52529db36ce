/** Small choices that a browser keeps for its user. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Prefs {
  /** The eye in the header: amounts are dots until it is opened again. */
  masked: boolean;
  /** Single-letter keys (`g` and a letter, `/`, `?`). */
  letterKeys: boolean;
  setMasked: (masked: boolean) => void;
  setLetterKeys: (letterKeys: boolean) => void;
}

export const usePrefs = create<Prefs>()(
  persist(
    (set) => ({
      masked: false,
      letterKeys: true,
      setMasked: (masked) => set({ masked }),
      setLetterKeys: (letterKeys) => set({ letterKeys }),
    }),
    { name: 'arbora-prefs' },
  ),
);
