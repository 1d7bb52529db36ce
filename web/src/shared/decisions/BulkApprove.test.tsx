// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/problem';
import { show } from '@/testing/render';
import { DataTable } from '@/ui/DataTable';
import { type BulkResult, useBulkApprove } from './BulkApprove';

interface Row {
  id: string;
  value: string;
}
const ROWS: Row[] = [
  { id: 'ana', value: '10.5' },
  { id: 'bea', value: '20' },
  { id: 'caio', value: '30' },
  { id: 'own', value: '40' },
];

function Queue({ approve }: { approve: (row: Row, key: string) => Promise<BulkResult> }) {
  const { selection, bulk } = useBulkApprove<Row>({
    rows: ROWS,
    rowKey: (row) => row.id,
    name: (row) => `@${row.id}`,
    amount: (row) => row.value,
    blocked: (row) => (row.id === 'own' ? 'É o seu próprio dinheiro.' : undefined),
    approve,
    onDone: () => {},
  });
  return (
    <DataTable
      name="bulk"
      label="Fila"
      columns={[{ key: 'id', label: 'Quem', render: (row) => row.id }]}
      rows={ROWS}
      rowKey={(row) => row.id}
      selection={selection}
      bulk={bulk}
    />
  );
}

test('each decision stands alone: some approved, one of two, one refused with its reason, tried again with its own key', async () => {
  const user = userEvent.setup();
  const keys = new Map<string, string[]>();
  let down = true;
  const approve = vi.fn(async ({ id }: Row, key: string): Promise<BulkResult> => {
    keys.set(id, [...(keys.get(id) ?? []), key]);
    if (id === 'bea') return 'half';
    if (id === 'caio' && down)
      throw new ApiError(409, { code: 'decision.done', message: 'Já foi decidido.' });
    return 'approved';
  });
  await show(<Queue approve={approve} />);
  const table = screen.getByRole('table', { name: 'Fila' });
  await user.click(within(table).getByRole('checkbox', { name: 'Todos' }));
  // One's own is not among them.
  const bar = screen.getByRole('group', { name: 'Decidir várias de uma vez' });
  expect(bar).toHaveTextContent('3 selecionadas');
  expect(bar).toHaveTextContent('60,50');
  await user.click(within(table).getByRole('checkbox', { name: '@own' }));
  expect(bar).toHaveTextContent('3 selecionadas');
  await user.click(within(bar).getByRole('button', { name: 'Aprovar selecionadas' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog).toHaveTextContent('60,50');
  expect(approve).not.toHaveBeenCalled();
  await user.click(within(dialog).getByRole('button', { name: 'Aprovar 3' }));
  await waitFor(() => expect(dialog).toHaveTextContent('1 aprovada.'));
  expect(dialog).toHaveTextContent('1 espera outra pessoa.');
  expect(dialog).toHaveTextContent('1 não foi aprovada');
  expect(dialog).toHaveTextContent('@caio: Já foi decidido.');
  expect(new Set([...keys.values()].flat()).size).toBe(3);
  down = false;
  await user.click(within(dialog).getByRole('button', { name: 'Tentar estas de novo' }));
  await waitFor(() => expect(dialog).toHaveTextContent('2 aprovadas.'));
  expect(keys.get('caio')).toHaveLength(2);
  expect(new Set(keys.get('caio')).size).toBe(1);
  expect(keys.get('ana')).toHaveLength(1);
  await user.click(within(dialog).getByRole('button', { name: 'Fechar' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.queryByRole('group', { name: 'Decidir várias de uma vez' })).not.toBeInTheDocument();
});

test('giving up sends nothing and keeps the choice', async () => {
  const user = userEvent.setup();
  const approve = vi.fn(async (): Promise<BulkResult> => 'approved');
  await show(<Queue approve={approve} />);
  await user.click(screen.getByRole('checkbox', { name: '@ana' }));
  await user.click(screen.getByRole('button', { name: 'Aprovar selecionadas' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancelar' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(approve).not.toHaveBeenCalled();
  expect(screen.getByRole('checkbox', { name: '@ana' })).toBeChecked();
});
