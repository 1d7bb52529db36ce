import { useEffect, useState } from 'react';

/** Whether it is open by now: what comes with the press that opens it opens a moment after it has come. Only what opens after it stood there
 *  knows where the focus goes back to. */
export function useOpensAfter(opened: boolean): boolean {
  const [came, setCame] = useState(false);
  useEffect(() => setCame(opened), [opened]);
  return opened && came;
}
