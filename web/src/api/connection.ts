/** One answer to "are we connected?", fed by the browser, the session and the live socket, shown by badge and banner. */
import { create } from 'zustand';

export type LinkState = 'idle' | 'connecting' | 'open' | 'waiting';

interface Connection {
  /** What the browser says of the network. */
  online: boolean;
  /** The live socket; `idle` while nobody is signed in. */
  link: LinkState;
  /** When `link` last changed (epoch ms). */
  since: number;
  /** When the last fact or answer arrived (epoch ms): the age of what the screen shows. */
  freshAt: number;
  /** A profile fetch is being repeated because the server does not answer. */
  retrying: boolean;
}

export const useConnection = create<Connection>()(() => ({
  online: typeof navigator === 'undefined' ? true : navigator.onLine,
  link: 'idle',
  since: Date.now(),
  freshAt: Date.now(),
  retrying: false,
}));

export const setLink = (link: LinkState) =>
  useConnection.setState((state) => (state.link === link ? state : { link, since: Date.now() }));

export const markFresh = () => useConnection.setState({ freshAt: Date.now() });

/** Actions that move money wait for this. A socket that is only just connecting does not block anybody. */
export const isOffline = (state: Connection) => !state.online || state.retrying || state.link === 'waiting';
export const useOffline = () => useConnection(isOffline);

if (typeof window !== 'undefined') {
  window.addEventListener('online', () => useConnection.setState({ online: true }));
  window.addEventListener('offline', () => useConnection.setState({ online: false }));
}
