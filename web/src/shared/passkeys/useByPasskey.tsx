import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { useUser } from '@/api/session';
import { PasskeyInstead } from './PasskeyInstead';
import { canUsePasskeys } from './usable';

/** Whether who is signed in confirms with a passkey here: they have one that opens something, and the browser uses it. */
export function useConfirmsByPasskey(): boolean {
  const user = useUser();
  return Boolean(user?.twoFactor.passkeyOpens) && canUsePasskeys();
}

/** For a dialog that asks for a code: a passkey's word instead, bound to the same; nothing where there is none. */
export function useByPasskey() {
  const able = useConfirmsByPasskey();
  return (asked: Schemas['CodeBody']) => ({
    ...(able && {
      instead: (confirm: (proof: string) => unknown, busy: boolean, first: boolean): ReactNode => (
        <PasskeyInstead asked={asked} onProof={confirm} busy={busy} first={first} />
      ),
    }),
  });
}
