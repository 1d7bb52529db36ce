// @vitest-environment jsdom
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';
import { show } from '@/testing/render';
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

/** An answer in two pieces; `end` says how it ends. */
function inPieces(end: (stream: ReadableStreamDefaultController<Uint8Array>) => void) {
  const write = (text: string) => new TextEncoder().encode(text);
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      next += 1;
      if (next === 1) stream.enqueue(write('Nome\r\num\r\n'));
      else if (next === 2) stream.enqueue(write('dois\r\n'));
      else end(stream);
    },
  });
  return new Response(body, {
    headers: {
      'X-Total-Rows': '2',
      'Content-Disposition': 'attachment; filename="arbora-test-2026-11-23.csv"',
    },
  });
}

const FILE_PROPS = {
  name: 'test',
  label: 'Coisas',
  rows: ROWS,
  rowKey: ({ id }: Row) => id,
  meta: { page: 1, limit: 10, total: 1234, lastPage: 124 },
  columns: [{ key: 'id', label: 'Nº', render: ({ id }: Row) => id }],
};

test("the file is the server's, with all rows, under its name", async () => {
  const saved: { name: string; blob: Blob }[] = [];
  let blob = new Blob();
  URL.createObjectURL = (given) => {
    blob = given as Blob;
    return 'blob:test';
  };
  URL.revokeObjectURL = () => {};
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, blob });
  });
  await show(<DataTable {...FILE_PROPS} file={async () => ({ response: inPieces((s) => s.close()) })} />);
  await userEvent.click(screen.getByRole('button', { name: 'Baixar CSV (1.234 linhas)' }));
  await vi.waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.name).toBe('arbora-test-2026-11-23.csv');
  expect(saved[0]?.blob.size).toBe('Nome\r\num\r\ndois\r\n'.length);
  click.mockRestore();
});

test('a file that breaks off is not saved, and one that is stopped says nothing', async () => {
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  const broken = async () => ({ response: inPieces((s) => s.error(new Error('cut'))) });
  const first = await show(<DataTable {...FILE_PROPS} file={broken} />);
  await userEvent.click(screen.getByRole('button', { name: /Baixar CSV/ }));
  expect(await screen.findByRole('button', { name: /Baixar CSV/ })).toBeInTheDocument();
  first.unmount();

  const heard = vi.fn();
  const waits = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        heard();
        reject(signal.reason);
      });
    });
  await show(<DataTable {...FILE_PROPS} file={waits} />);
  await userEvent.click(screen.getByRole('button', { name: /Baixar CSV/ }));
  expect(screen.getByText('0 de 1.234 linhas')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Parar o arquivo' }));
  expect(await screen.findByRole('button', { name: /Baixar CSV/ })).toBeInTheDocument();
  expect(heard).toHaveBeenCalledOnce();
  expect(click).not.toHaveBeenCalled();
  click.mockRestore();
});
