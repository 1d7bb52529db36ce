// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/problem';
import { show } from '@/testing/render';
import { CodeDialog } from './CodeDialog';

const another = (confirm: (proof: string) => unknown, busy: boolean, first: boolean) => (
  <button type="button" disabled={busy} onClick={() => void confirm('PKPROOF')}>
    {first ? 'antes' : 'ao lado'}
  </button>
);
const digits = () => screen.queryAllByLabelText(/^Dígito \d de 6$/);

test('another way comes before a code, which is mailed when it is wished for', async () => {
  const onSend = vi.fn(async () => {});
  const onCode = vi.fn(async (_: string): Promise<void> => {
    throw new ApiError(422, { code: 'balance.insufficient', message: 'Saldo insuficiente.' });
  });
  await show(
    <CodeDialog
      opened
      onClose={() => {}}
      title="Enviar"
      hint="Enviamos um código."
      onSend={onSend}
      onCode={onCode}
      instead={another}
    />,
  );
  await userEvent.click(await screen.findByText('antes'));
  await screen.findByText('Saldo insuficiente.');
  expect(onCode.mock.calls[0]?.[0]).toBe('PKPROOF');
  expect(digits()).toHaveLength(0);
  expect(screen.queryByText('Enviamos um código.')).toBeNull();
  expect(onSend).not.toHaveBeenCalled();
  await userEvent.click(screen.getByText('Receber um código por e-mail'));
  await waitFor(() => expect(onSend).toHaveBeenCalledTimes(1));
  expect(digits()).toHaveLength(6);
  expect(screen.getByText('Enviamos um código.')).toBeInTheDocument();
  expect(screen.getByText('ao lado')).toBeEnabled();
});

test('without another way the code is mailed at once; one of an authenticator stands beside the other way', async () => {
  const onSend = vi.fn(async () => {});
  const props = { opened: true, onClose: () => {}, title: 'Enviar', hint: 'Digite.', onCode: async () => {} };
  const { unmount } = await show(<CodeDialog {...props} onSend={onSend} />);
  await waitFor(() => expect(onSend).toHaveBeenCalledTimes(1));
  expect(digits()).toHaveLength(6);
  unmount();
  await show(<CodeDialog {...props} instead={another} />);
  expect(digits()).toHaveLength(6);
  expect(screen.getByText('ao lado')).toBeInTheDocument();
});
