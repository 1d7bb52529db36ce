/** A call that changes something, with what it makes untrue written beside it: no screen renews by hand what a call has changed. */
import { idempotencyKey } from './client';
import { type ReadPath, refetch } from './lists';

interface MutationOptions<In, Out> {
  send: (input: In, idempotencyKey: string) => Promise<Out>;
  /** The calls that answer otherwise from now on. */
  changes: readonly ReadPath[];
  /** They are asked again after a refusal too: it often says that the screen is behind. */
  always?: boolean;
  /** Done only when they have answered: what comes next shows what they say. */
  wait?: boolean;
  /** What the answer itself already tells: written over the rows that show it, before anything is asked again. */
  patch?: (answer: Out, input: In) => void;
}

export interface Mutation<In, Out> {
  (input: In, idempotencyKey?: string): Promise<Out>;
  /** One of many: what it changes is asked for once, after the last (`renew`). */
  one: (input: In, idempotencyKey: string) => Promise<Out>;
  renew: () => Promise<unknown>;
}

export function mutation<In, Out>(options: MutationOptions<In, Out>): Mutation<In, Out> {
  const { send, changes, always = false, wait = false, patch } = options;
  const renew = () => refetch(...changes);
  const one = async (input: In, key: string) => {
    const answer = await send(input, key);
    patch?.(answer, input);
    return answer;
  };
  const whole = async (input: In, key = idempotencyKey()) => {
    let made = false;
    try {
      const answer = await one(input, key);
      made = true;
      return answer;
    } finally {
      if (made || always) {
        const renewed = renew();
        if (wait) await renewed;
      }
    }
  };
  return Object.assign(whole, { one, renew });
}
