import { useEffect, useRef, useState } from 'react';
import { type Answer, api, body } from '@/api/client';

/** Words that make a password guessable: what the form or the account says of the person, or the mailed link that names the account. */
export interface OwnWords {
  email?: string;
  fullName?: string;
  username?: string;
  link?: string;
}

type Strength = Answer<'/auth/password-strength', 'post'>;

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
const PAUSE_MS = 400;

/** A password being chosen, typed twice. The server judges it while one types, as the call will that sets it. */
export function usePassword(words: OwnWords = {}) {
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [judged, setJudged] = useState<{ question: string; strength: Strength } | null>(null);
  const long = password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX;
  const question = JSON.stringify({ password, ...words });
  const asking = useRef<{ question: string; answer: Promise<Strength> } | null>(null);
  const strength = judged?.question === question ? judged.strength : null;

  const ask = (): Promise<Strength> => {
    if (asking.current?.question !== question) {
      const answer = body(api.POST('/auth/password-strength', { body: JSON.parse(question) }));
      const mine = { question, answer };
      asking.current = mine;
      answer.then(
        (found) => asking.current === mine && setJudged({ question, strength: found }),
        // A later try asks anew.
        () => {
          if (asking.current === mine) asking.current = null;
        },
      );
    }
    return asking.current.answer;
  };
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each question is asked once one pauses.
  useEffect(() => {
    if (!long) return;
    const timer = setTimeout(() => void latest.current().catch(() => {}), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [question, long]);

  return {
    password,
    confirmation,
    setPassword,
    setConfirmation,
    long,
    strength,
    /** Whether the form may go on with it. Without an answer of the judge the call itself will tell. */
    accepted: async (): Promise<boolean> => {
      if (!long) return false;
      const acceptable = await ask().then(
        (found) => found.acceptable,
        () => true,
      );
      return acceptable && password === confirmation;
    },
    clear: () => {
      setPassword('');
      setConfirmation('');
    },
  };
}

export type ChosenPassword = ReturnType<typeof usePassword>;
