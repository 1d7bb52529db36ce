/** One way to the server for a form or a button: locked while it is under way, one idempotency key for one order, what went wrong and
 *  for which field. What a call makes untrue is declared beside the call (`api/mutation.ts`), not here. A form makes neither a lock nor
 *  a key of its own (`testing/walls.test.ts`). */
import { useEffect, useRef, useState } from 'react';
import { idempotencyKey } from '@/api/client';
import { serverNow } from '@/api/clock';
import { asApiError } from '@/api/problem';

interface Failure {
  error: unknown;
  at: number;
}

/** For a form that makes several calls under one lock, none of them an order: `run` is given the call. */
export const given = (call: () => Promise<unknown>): Promise<unknown> => call();

/** One key for each of several orders that one form sends one after the other: a second try of one is the same order. */
export function useKeys(): (order: string) => string {
  const keys = useRef(new Map<string, string>());
  return (order) => {
    const key = keys.current.get(order) ?? idempotencyKey();
    keys.current.set(order, key);
    return key;
  };
}

/** `send` is usually a `mutation`; `done` is called with its answer: say it, close, go on. `failed` beside what the screen shows of the
 *  failure itself. */
export function useSubmit<In, Out>(
  send: (input: In, idempotencyKey: string) => Promise<Out>,
  done?: (answer: Out, input: In) => unknown,
  failed?: (error: unknown, input: In) => unknown,
) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [ended, setEnded] = useState(0);
  const locked = useRef(false);
  // Open again only when the screen shows it: a press into a dialog that is about to close would be another order.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each end opens once.
  useEffect(() => {
    locked.current = false;
  }, [ended]);
  // A repeated click or a try after a cut is the same order; what the server refused gets its next key in the client.
  const key = useRef(idempotencyKey());
  return {
    busy,
    failure,
    /** Whether it was done. */
    run: async (input: In): Promise<boolean> => {
      if (locked.current) return false;
      locked.current = true;
      setBusy(true);
      setFailure(null);
      try {
        const answer = await send(input, key.current);
        key.current = idempotencyKey();
        await done?.(answer, input);
        return true;
      } catch (error) {
        setFailure({ error, at: serverNow() });
        failed?.(error, input);
        return false;
      } finally {
        setBusy(false);
        setEnded((count) => count + 1);
      }
    },
    /** The server's message for a field. */
    field: (name: string) => (failure ? asApiError(failure.error).field(name) : undefined),
    /** The fields were changed: what comes next is another order, and the old refusal is of no use. */
    changed: () => {
      key.current = idempotencyKey();
      setFailure(null);
    },
    /** The old refusal is of no use; the order is still the same. */
    clear: () => setFailure(null),
  };
}
