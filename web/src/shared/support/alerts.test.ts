// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { alertOf, allowedNow, mute, setAlerts, tone, useAlerts } from './alerts';

const shown: { title: string; options: NotificationOptions }[] = [];
let allowed: NotificationPermission = 'granted';
let notes = 0;

class FakeNotification {
  static get permission() {
    return allowed;
  }
  onclick: (() => void) | null = null;
  constructor(title: string, options: NotificationOptions) {
    shown.push({ title, options });
  }
  close() {}
}

const node = { connect: (): unknown => node, frequency: { value: 0 }, start: () => {}, stop: () => {} };
class FakeAudio {
  currentTime = 0;
  destination = {};
  resume = () => Promise.resolve();
  createOscillator = () => {
    notes += 1;
    return node;
  };
  createGain = () => ({
    connect: () => node,
    gain: { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} },
  });
}

const NEWS = { ticket: 't1', path: '/support/ticket/t1', title: 'Chamado 41', text: 'Já foi aprovado.' };
const hide = (hidden: boolean) => vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
const settled = () => Promise.resolve().then(() => {});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.stubGlobal('Notification', FakeNotification);
  vi.stubGlobal('AudioContext', FakeAudio);
  allowed = 'granted';
  shown.length = 0;
  notes = 0;
  useAlerts.setState({ sound: false, banner: false, words: false, muted: [] });
  // What was heard in the test before is over.
  vi.advanceTimersByTime(60_000);
  history.replaceState(null, '', '/');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('nothing is told before it is chosen', async () => {
  hide(true);
  alertOf(NEWS);
  await settled();
  expect(shown).toEqual([]);
  expect(notes).toBe(0);
});

test('a notice says which ticket, and what was said only where that is chosen too', () => {
  hide(true);
  setAlerts({ banner: true });
  alertOf(NEWS);
  expect(shown).toEqual([{ title: 'Chamado 41', options: { tag: 'ticket:t1', silent: true } }]);
  setAlerts({ words: true });
  alertOf(NEWS);
  expect(shown[1]?.options.body).toBe('Já foi aprovado.');
});

test('a notice is for who does not see the page, and was allowed', () => {
  setAlerts({ banner: true });
  hide(false);
  alertOf(NEWS);
  hide(true);
  allowed = 'denied';
  alertOf(NEWS);
  expect(shown).toEqual([]);
  vi.stubGlobal('Notification', undefined);
  expect(allowedNow()).toBe('unsupported');
  alertOf(NEWS);
});

test('two notes are heard, once for many at once, and not by who reads the ticket', async () => {
  setAlerts({ sound: true });
  hide(false);
  alertOf(NEWS);
  alertOf({ ...NEWS, ticket: 't2' });
  await settled();
  expect(notes).toBe(2);
  vi.advanceTimersByTime(3_000);
  history.replaceState(null, '', NEWS.path);
  alertOf(NEWS);
  await settled();
  expect(notes).toBe(2);
  tone();
  await settled();
  expect(notes).toBe(4);
});

test('a muted ticket is silent, the others are not', async () => {
  setAlerts({ sound: true, banner: true });
  hide(true);
  mute('t1', true);
  alertOf(NEWS);
  await settled();
  expect([shown.length, notes]).toEqual([0, 0]);
  alertOf({ ...NEWS, ticket: 't2' });
  expect(shown).toHaveLength(1);
  mute('t1', false);
  alertOf(NEWS);
  expect(shown).toHaveLength(2);
  for (let one = 0; one < 300; one++) mute(`m${one}`, true);
  expect(useAlerts.getState().muted).toHaveLength(200);
});
