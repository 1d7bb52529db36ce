// @vitest-environment jsdom
import { act } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { QUEUES } from '@/api/queues';
import { clearCounters, setCounter } from '@/live/counters';
import { show } from '@/testing/render';
import { PageHeader } from '@/ui/PageHeader';
import { unreadInTitle } from './unread';

afterEach(clearCounters);

test('the title says how much is unread, on every screen and as it changes', async () => {
  const stop = unreadInTitle();
  const { unmount } = await show(<PageHeader title="Chamados" />);
  expect(document.title).toBe('Chamados · Arbora');
  act(() => setCounter(QUEUES.tickets.id, 2));
  act(() => setCounter('supportUnread', 1));
  expect(document.title).toBe('(3) Chamados · Arbora');
  // What else is counted is no news.
  act(() => setCounter('robotsRunning', 9));
  expect(document.title).toBe('(3) Chamados · Arbora');
  act(() => setCounter(QUEUES.tickets.id, 400));
  expect(document.title).toBe('(99+) Chamados · Arbora');
  unmount();
  await show(<PageHeader title="Suporte" />);
  expect(document.title).toBe('(99+) Suporte · Arbora');
  act(clearCounters);
  expect(document.title).toBe('Suporte · Arbora');
  stop();
});
