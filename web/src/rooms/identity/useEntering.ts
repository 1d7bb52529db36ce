import { useState } from 'react';
import { startSession, useUser } from '@/api/session';

/** For a page that makes a session. Who is signed in with this browser, and not by this page, is asked first. */
export function useEntering() {
  const user = useUser();
  const [entering, setEntering] = useState(false);
  return {
    somebody: entering ? null : user,
    enter: (token: string) => {
      setEntering(true);
      return startSession(token).catch((error) => {
        setEntering(false);
        throw error;
      });
    },
  };
}
