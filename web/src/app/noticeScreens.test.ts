import { expect, test } from 'vitest';
import notices from '@/i18n/pt/notifications.json';
import { screenOf } from '@/shared/notices/where';
import { pages } from './pages';

/** Told to everybody at once, or the first line of all: nothing to be seen elsewhere. */
const NOWHERE = ['welcome', 'outbound_paused', 'outbound_resumed', 'desk_paused', 'desk_resumed'];
const codes = [...new Set(Object.keys(notices).map((key) => key.replace(/_(one|many|other)$/, '')))];

test('each notice leads to a screen that there is', () => {
  const paths = new Set(pages.map(({ path }) => path));
  const lost = codes.filter((code) => {
    const screen = screenOf(code, { ticket: 't1' })?.split('?')[0];
    if (screen === undefined) return !NOWHERE.includes(code);
    return !paths.has(screen === '/support/ticket/t1' ? '/support/ticket/:idTicket' : screen);
  });
  expect(lost).toEqual([]);
});
