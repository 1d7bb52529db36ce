/** Whether what a browser knows of its pushes still holds. Pure. */

/** What this browser notes of the device that it is to the server. */
export interface Kept {
  person: string;
  /** The person in one session. */
  owner: string;
  id: string;
  endpoint: string;
  /** The server's, by which it was subscribed. */
  key: string;
}

interface Now {
  kept: Kept;
  person: string;
  owner: string;
  /** The browser's subscription of this moment. */
  endpoint: string | null;
  /** The server's key of this moment, and the devices that it knows. */
  key: string;
  known: readonly string[];
  allowed: boolean;
}

/** `off`: whatever is left of a subscription goes. `again`: the server is told of the same one. `renew`: a new one, without a question: it was chosen
 *  here. */
export type Step = 'nothing' | 'off' | 'again' | 'renew';

export function stepOf({ kept, person, owner, endpoint, key, known, allowed }: Now): Step {
  if (kept.person !== person || !allowed) return 'off';
  if (endpoint !== kept.endpoint || key !== kept.key) return 'renew';
  // To the server a device is its session's, and goes with it: a new session takes it over.
  if (known.includes(kept.id)) return kept.owner === owner ? 'nothing' : 'again';
  // In the session in which it was chosen somebody has taken it off the list, and it stays off. A session that has ended took it along.
  return kept.owner === owner ? 'off' : 'renew';
}
