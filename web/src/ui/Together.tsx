import { Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

/** What answers late comes late: nobody waits longer for the rest. */
const PATIENCE_MS = 2_000;

/** Parts of a screen that stand below each other and are asked for one by one: shown when the first answers of all of them are there,
 *  so that none pushes another away from under a finger. */
export function Together({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const look = () => {
      if (client.isFetching({ predicate: ({ state }) => state.status === 'pending' }) === 0) setShown(true);
    };
    // The parts ask in effects of their own, which come before this one; what one answer leads to is asked a moment after it.
    look();
    let next: ReturnType<typeof setTimeout> | undefined;
    const stop = client.getQueryCache().subscribe(() => {
      clearTimeout(next);
      next = setTimeout(look, 20);
    });
    const late = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => {
      stop();
      clearTimeout(next);
      clearTimeout(late);
    };
  }, [client]);
  return (
    <>
      {!shown && <Skeleton h="60dvh" radius="md" aria-hidden />}
      <div style={{ display: shown ? 'contents' : 'none' }}>{children}</div>
    </>
  );
}
