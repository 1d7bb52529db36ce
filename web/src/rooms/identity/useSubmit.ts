import { useState } from 'react';
import { serverNow } from '@/api/clock';
import { asApiError } from '@/api/problem';

interface Failure {
  error: unknown;
  at: number;
}

/** One form's way to the server: busy, failed with what and when, and the server's message for a field. */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await work();
      return true;
    } catch (error) {
      setFailure({ error, at: serverNow() });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    failure,
    run,
    clear: () => setFailure(null),
    field: (name: string) => (failure ? asApiError(failure.error).field(name) : undefined),
  };
}
