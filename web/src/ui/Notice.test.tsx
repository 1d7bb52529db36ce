// @vitest-environment jsdom
import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { show } from '@/testing/render';
import { NOTICE_MS, Notice } from './Notice';

function Page({ tone }: { tone: 'success' | 'danger' }) {
  const [said, setSaid] = useState(true);
  return (
    <>
      <button type="button">antes</button>
      {said && (
        <Notice tone={tone} onClose={() => setSaid(false)}>
          feito
        </Notice>
      )}
    </>
  );
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
const said = () => screen.queryByText('feito');
const begin = async (tone: 'success' | 'danger' = 'success') => {
  await show(<Page tone={tone} />);
  vi.useFakeTimers();
  // The clock of the page is the test's from here on: the count that has begun with the page's own is begun anew.
  fireEvent.pointerEnter(screen.getByTestId('notice'));
  fireEvent.pointerLeave(screen.getByTestId('notice'));
};

afterEach(() => vi.useRealTimers());

test('counts down from 4 s and closes itself', async () => {
  await begin();
  expect(screen.getByText('4 s')).toBeInTheDocument();
  pass(NOTICE_MS / 2);
  expect(screen.getByText('2 s')).toBeInTheDocument();
  pass(NOTICE_MS / 2);
  expect(said()).toBeNull();
});

test('its time stands still while it is pointed at, focused or not seen, and goes on from there', async () => {
  await begin();
  const notice = screen.getByTestId('notice');
  pass(1000);
  fireEvent.pointerEnter(notice);
  pass(NOTICE_MS * 2);
  expect(screen.getByText('3 s')).toBeInTheDocument();
  act(() => screen.getByRole('button', { name: 'Dispensar' }).focus());
  fireEvent.pointerLeave(notice);
  pass(NOTICE_MS * 2);
  expect(screen.getByText('3 s')).toBeInTheDocument();
  act(() => screen.getByRole('button', { name: 'antes' }).focus());
  const seen = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  pass(NOTICE_MS * 2);
  expect(screen.getByText('3 s')).toBeInTheDocument();
  seen.mockRestore();
  pass(3000);
  expect(said()).toBeNull();
});

test('closes by its button, which gives the focus back', async () => {
  await begin();
  const before = screen.getByRole('button', { name: 'antes' });
  act(() => before.focus());
  const close = screen.getByRole('button', { name: 'Dispensar' });
  act(() => close.focus());
  fireEvent.click(close);
  expect(said()).toBeNull();
  expect(before).toHaveFocus();
});

test('closes by Escape wherever the focus is, but not for what takes the key itself', async () => {
  await begin();
  const over = document.createElement('div');
  over.setAttribute('role', 'dialog');
  over.setAttribute('aria-modal', 'true');
  document.body.append(over);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(said()).toBeInTheDocument();
  over.remove();
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(said()).toBeNull();
});

test('says itself once: a failure at once, what went well when there is time; the count is for the eye', async () => {
  await begin('danger');
  const notice = screen.getByRole('alert');
  expect(notice).toHaveTextContent('Fecha sozinha em 4 segundos');
  expect(screen.getByText('4 s').closest('[aria-hidden]')).not.toBeNull();
  act(() => vi.useRealTimers());
  await show(<Page tone="success" />);
  expect(screen.getByRole('status')).toBeInTheDocument();
});
