import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';
import { show } from '@/testing/render';
import { csvCell, toCsv } from './csv';
import { DataTable } from './DataTable';
import { FilterBar } from './FilterBar';
import { useTableQuery } from './useTableQuery';

interface Row {
  id: string;
  name: string;
}
const ROWS: Row[] = ['um', 'dois', 'três'].map((name, index) => ({ id: String(index), name }));

function List({ rows = ROWS, onOpen = () => {} }: { rows?: Row[]; onOpen?: (row: Row) => void }) {
  const query = useTableQuery({ filters: ['search', 'status'] });
  const { search } = useLocation();
  return (
    <>
      <output>{search}</output>
      <p data-testid="query">{JSON.stringify(query.query)}</p>
      <DataTable
        name="test"
        label="Coisas"
        rows={rows}
        rowKey={({ id }) => id}
        query={query}
        meta={{ page: query.page, limit: query.limit, total: 25, lastPage: 3 }}
        onOpen={onOpen}
        filterBar={
          <FilterBar
            query={query}
            fields={[
              { kind: 'search', name: 'search' },
              {
                kind: 'select',
                name: 'status',
                label: 'Situação',
                options: [{ value: 'ok', label: 'Certo' }],
              },
            ]}
          />
        }
        columns={[
          { key: 'id', label: 'Nº', render: ({ id }) => id, fixed: true },
          { key: 'name', label: 'Nome', render: ({ name }) => name, sort: 'name' },
        ]}
      />
    </>
  );
}
const url = () => screen.getByRole('status', { name: '' }).textContent;

test('the URL holds page and sort, and says what the server is asked', async () => {
  await show(<List />, { path: '/?page=2&limit=25&status=ok' });
  expect(JSON.parse(screen.getByTestId('query').textContent ?? '')).toEqual({
    page: 2,
    limit: 25,
    sortby: 'created_at',
    sortdirection: 'desc',
    status: 'ok',
  });
  await userEvent.click(screen.getByRole('button', { name: 'Nome' }));
  expect(url()).toBe('?limit=25&status=ok&sortby=name&sortdirection=desc');
  await userEvent.click(screen.getByRole('button', { name: 'Nome' }));
  expect(url()).toContain('sortdirection=asc');
  expect(screen.getByRole('columnheader', { name: 'Nome' })).toHaveAttribute('aria-sort', 'ascending');
  await userEvent.click(screen.getByRole('button', { name: 'Página 3' }));
  expect(url()).toContain('page=3');
});

test('nonsense in the URL is the default, not an error', async () => {
  await show(<List />, { path: '/?page=-1&limit=9999&sortdirection=sideways' });
  expect(JSON.parse(screen.getByTestId('query').textContent ?? '')).toMatchObject({
    page: 1,
    limit: 500,
    sortdirection: 'desc',
  });
});

test('typing filters after a pause, a chip takes a filter away', async () => {
  await show(<List />, { path: '/?status=ok&page=2' });
  await userEvent.type(screen.getByRole('searchbox'), 'ana');
  await vi.waitFor(() => expect(url()).toContain('search=ana'), 10_000);
  expect(url()).not.toContain('page=2');
  await userEvent.click(screen.getByRole('button', { name: 'Remover filtro Situação' }));
  expect(url()).not.toContain('status');
});

test('j and k walk the rows, Enter opens', async () => {
  const onOpen = vi.fn();
  await show(<List onOpen={onOpen} />);
  await userEvent.keyboard('jjk{Enter}');
  expect(onOpen).toHaveBeenCalledWith(ROWS[0]);
  await userEvent.keyboard('jj{Enter}');
  expect(onOpen).toHaveBeenLastCalledWith(ROWS[2]);
});

test('a column can be left out', async () => {
  localStorage.clear();
  await show(<List />);
  expect(within(screen.getByRole('table')).getByText('dois')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Colunas' }));
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Nome' }));
  expect(within(screen.getByRole('table')).queryByText('dois')).not.toBeInTheDocument();
  localStorage.clear();
});

test('nothing with filters is not the same as nothing', async () => {
  await show(<List rows={[]} />, { path: '/?status=ok' });
  expect(screen.getByText('Nada com estes filtros.')).toBeInTheDocument();
  await userEvent.click(screen.getAllByRole('button', { name: 'Limpar filtros' })[0] as HTMLElement);
  expect(screen.getByText('Nada por aqui ainda.')).toBeInTheDocument();
});

test.each([
  ['=1+1', "'=1+1"],
  ['+55', "'+55"],
  ['-5.00', "'-5.00"],
  ['@x', "'@x"],
  ['\tx', "'\tx"],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['=a,"b"', '"\'=a,""b"""'],
])('CSV: %j becomes %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

test('CSV rows end as the format asks', () => {
  expect(
    toCsv([
      ['a', 'b'],
      ['1', '2'],
    ]),
  ).toBe('a,b\r\n1,2');
});
