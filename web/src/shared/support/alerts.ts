/** How this browser tells of a message in support while its person looks elsewhere: by a short tone, by a notice of the browser's own. Nothing of it is on
 *  until it is chosen, and what is chosen is the device's [docs/decisions/0096-alerts-of-a-device.md]. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Alerts {
  sound: boolean;
  /** The browser's own notice, while the page is not seen. */
  banner: boolean;
  /** What was said stands in it; it may be read where the device is locked. */
  words: boolean;
  /** Tickets of which nothing is told here, the newest last. */
  muted: readonly string[];
}

const MOST_MUTED = 200;

export const useAlerts = create<Alerts>()(
  persist((): Alerts => ({ sound: false, banner: false, words: false, muted: [] }), {
    name: 'arbora-alerts',
  }),
);

export const setAlerts = (change: Partial<Omit<Alerts, 'muted'>>) => useAlerts.setState(change);

export const mute = (ticket: string, on: boolean) =>
  useAlerts.setState(({ muted }) => ({
    muted: [...muted.filter((one) => one !== ticket), ...(on ? [ticket] : [])].slice(-MOST_MUTED),
  }));

export type Allowed = NotificationPermission | 'unsupported';

export const allowedNow = (): Allowed =>
  typeof Notification === 'undefined' ? 'unsupported' : Notification.permission;

/** Only from a press of a button. */
export const askLeave = (): Promise<Allowed> =>
  typeof Notification === 'undefined' ? Promise.resolve('unsupported') : Notification.requestPermission();

interface News {
  ticket: string;
  /** Where it is read. */
  path: string;
  title: string;
  /** What was said. */
  text: string;
}

/** Tells of a message in the ways that were chosen. */
export function alertOf({ ticket, path, title, text }: News) {
  const { sound, banner, words, muted } = useAlerts.getState();
  const seen = !document.hidden;
  if (muted.includes(ticket) || (seen && location.pathname === path)) return;
  if (sound) tone();
  if (!banner || seen || allowedNow() !== 'granted') return;
  try {
    // Of one ticket the newest takes the place of those before. The sound is a choice of its own.
    const notice = new Notification(title, {
      tag: `ticket:${ticket}`,
      silent: true,
      ...(words && { body: text }),
    });
    notice.onclick = () => {
      notice.close();
      window.focus();
      if (location.pathname !== path) location.assign(path);
    };
  } catch {
    // A browser that shows notices of installed pages only.
  }
}

/** Many at once are heard as one. */
const REST_MS = 2_000;
/** What a browser lets sound later than that is no news any more. */
const LATE_MS = 1_000;
const NOTES = [660, 880] as const;
const NOTE_S = 0.14;
const LOUD = 0.12;

let audio: AudioContext | null = null;
let last = Number.NEGATIVE_INFINITY;

/** Two short notes, made here. A browser lets nobody sound before they have touched the page. */
export function tone() {
  if (typeof AudioContext === 'undefined') return;
  const asked = performance.now();
  if (asked - last < REST_MS) return;
  last = asked;
  audio ??= new AudioContext();
  const context = audio;
  void context
    .resume()
    .then(() => {
      if (performance.now() - asked < LATE_MS) play(context);
    })
    .catch(() => {});
}

function play(context: AudioContext) {
  for (const [place, pitch] of NOTES.entries()) {
    const at = context.currentTime + place * NOTE_S;
    const note = context.createOscillator();
    const gain = context.createGain();
    note.frequency.value = pitch;
    gain.gain.setValueAtTime(0.0001, at);
    gain.gain.exponentialRampToValueAtTime(LOUD, at + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + NOTE_S);
    note.connect(gain).connect(context.destination);
    note.start(at);
    note.stop(at + NOTE_S);
  }
}
