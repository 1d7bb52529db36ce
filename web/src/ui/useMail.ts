import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSubmit } from './useSubmit';

/** The mailing of a code beside the order that it is for: the first by itself, unless it `waits` until it is wished for, others by
 *  "Reenviar" (`before` clears the order's refusal). A lock of its own: sending again changes nothing about the order. */
export function useMail(onSend: (() => Promise<unknown>) | undefined, before: () => void, waits = false) {
  const [sentAt, setSentAt] = useState<number | null>(null);
  const sent = useRef(false);
  const { failure, run, clear } = useSubmit(
    async () => onSend?.(),
    () => setSentAt(Date.now()),
  );
  const first = useEffectEvent(() => {
    if (onSend && !waits && !sent.current) void run(undefined);
    sent.current = true;
  });
  useEffect(() => first(), []);
  const send = () => {
    before();
    return run(undefined);
  };
  return { failure, clear, resend: { sentAt, onSend: send } };
}
