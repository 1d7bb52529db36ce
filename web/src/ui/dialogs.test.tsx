// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { useConnection } from '@/api/connection';
import { ApiError } from '@/api/problem';
import { show } from '@/testing/render';
import { ConfirmDialog } from './ConfirmDialog';
import { GuardedButton } from './GuardedButton';

type Order = { idempotencyKey: string; reason: string };
afterEach(() => useConnection.setState({ online: true, link: 'idle' }));

function Opener({ onConfirm }: { onConfirm: (order: Order) => Promise<unknown> }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        abrir
      </button>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title="Rejeitar"
        facts={[{ label: 'Valor', value: '100,00' }]}
        reason={{ label: 'Motivo', required: true }}
        confirmLabel="Rejeitar"
        onConfirm={onConfirm}
      />
    </>
  );
}
const open = async () => {
  await userEvent.click(screen.getByText('abrir'));
  await screen.findByRole('dialog');
};

test('stands on Cancel, and sends nothing without its reason', async () => {
  const onConfirm = vi.fn(async () => {});
  await show(<Opener onConfirm={onConfirm} />);
  await open();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Cancelar' })).toHaveFocus());
  expect(screen.getByRole('button', { name: 'Rejeitar' })).toBeDisabled();
  await userEvent.keyboard('{Enter}');
  expect(onConfirm).not.toHaveBeenCalled();
});

function Mailer({ onConfirm }: { onConfirm: (order: Order) => Promise<unknown> }) {
  const [text, setText] = useState('');
  return (
    <ConfirmDialog
      opened
      onClose={() => {}}
      title="Mandar"
      order={text}
      confirmLabel="Mandar"
      onConfirm={onConfirm}
    >
      <textarea aria-label="Texto" value={text} onChange={(event) => setText(event.currentTarget.value)} />
    </ConfirmDialog>
  );
}

test('another text is another order; a second try of one text is the same', async () => {
  const keys: string[] = [];
  const onConfirm = vi.fn(async ({ idempotencyKey }: Order) => {
    keys.push(idempotencyKey);
    throw new ApiError(0, { code: 'network' });
  });
  await show(<Mailer onConfirm={onConfirm} />);
  const send = () => userEvent.click(screen.getByRole('button', { name: 'Mandar' }));
  await userEvent.type(await screen.findByLabelText('Texto'), 'a');
  await send();
  await waitFor(() => expect(screen.getByRole('alert')).toBeVisible());
  await send();
  await waitFor(() => expect(keys).toHaveLength(2));
  await userEvent.type(screen.getByLabelText('Texto'), 'b');
  // The old refusal says nothing of the new text.
  await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument());
  await send();
  await waitFor(() => expect(keys).toHaveLength(3));
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test('locks at the first submit; a retry after a failure is the same order, a new opening another', async () => {
  const keys: string[] = [];
  let fail = true;
  let finish = () => {};
  const onConfirm = vi.fn(async ({ idempotencyKey }: Order) => {
    keys.push(idempotencyKey);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    if (fail) throw new ApiError(409, { code: 'x', message: 'Já decidido.' });
  });
  await show(<Opener onConfirm={onConfirm} />);
  await open();
  await userEvent.type(screen.getByRole('textbox', { name: /Motivo/ }), 'ilegível');
  const confirm = screen.getByRole('button', { name: 'Rejeitar' });
  await userEvent.dblClick(confirm);
  expect(onConfirm).toHaveBeenCalledTimes(1);
  await userEvent.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeInTheDocument();
  finish();
  expect(await screen.findByText('Já decidido.')).toBeInTheDocument();
  fail = false;
  await userEvent.click(confirm);
  finish();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(keys[1]).toBe(keys[0]);
  await open();
  await userEvent.type(screen.getByRole('textbox', { name: /Motivo/ }), 'ilegível');
  await userEvent.click(screen.getByRole('button', { name: 'Rejeitar' }));
  finish();
  await waitFor(() => expect(keys.length).toBe(3));
  expect(keys[2]).not.toBe(keys[0]);
});

test('money waits for the connection', async () => {
  await show(<Opener onConfirm={async () => {}} />);
  useConnection.setState({ online: false });
  await open();
  expect(screen.getByText('Disponível quando a conexão voltar.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Rejeitar' })).toBeDisabled();
});

test('a guarded button says why, stays focusable and does nothing', async () => {
  const onClick = vi.fn();
  await show(
    <GuardedButton allowed={false} reason="Só nos dias 5 e 20." opensAt="2026-12-05" onClick={onClick}>
      Sacar
    </GuardedButton>,
  );
  await userEvent.tab();
  const button = screen.getByRole('button', { name: 'Sacar' });
  expect(button).toHaveFocus();
  expect(button).toHaveAttribute('aria-disabled', 'true');
  expect(button).toHaveAttribute('aria-description', 'Só nos dias 5 e 20. Abre em 05/12/2026.');
  await userEvent.click(button);
  await userEvent.keyboard('{Enter}');
  expect(onClick).not.toHaveBeenCalled();
});
