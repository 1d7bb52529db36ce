// @vitest-environment jsdom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { show } from '@/testing/render';
import Toaster, { TOAST_MS } from './Toaster';
import { clearToasts, toast } from './toast';

afterEach(() => {
  clearToasts();
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const say = (text: string) => act(() => toast.info(text));

test('stays while it is pointed at, and leaves 3 s after', async () => {
  await show(<Toaster />);
  vi.useFakeTimers();
  say('um');
  const region = screen.getByTestId('toast').parentElement as HTMLElement;
  fireEvent.pointerEnter(region);
  pass(TOAST_MS * 3);
  expect(screen.getByText('um')).toBeVisible();
  fireEvent.pointerLeave(region);
  pass(TOAST_MS);
  expect(screen.queryByText('um')).toBeNull();
});

test('one that was closed by hand does not hold the next', async () => {
  await show(<Toaster />);
  vi.useFakeTimers();
  say('um');
  const close = screen.getByRole('button');
  fireEvent.pointerEnter(screen.getByTestId('toast').parentElement as HTMLElement);
  fireEvent.focus(close);
  // The button leaves the page with the focus on it: neither blur nor leave is heard.
  fireEvent.click(close);
  say('dois');
  pass(TOAST_MS);
  expect(screen.queryByText('dois')).toBeNull();
});
