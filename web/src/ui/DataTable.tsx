import { Button, Card, Group, Menu, Pagination, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconColumns3, IconSelector } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { FileCall } from '@/api/download';
import type { PageMeta } from '@/api/lists';
import classes from './DataTable.module.css';
import { EmptyState } from './EmptyState';
import { ErrorCard } from './ErrorCard';
import { FileButton } from './FileButton';
import { useFormat } from './format';
import { Pairs } from './Pairs';
import { usePrefs } from './prefs';
import { type RowSelection, SelectAll, SelectRow, toggleRow } from './selection';
import type { ListState } from './useTableQuery';

export interface Column<T> {
  key: string;
  label: string;
  render: (row: T) => ReactNode;
  align?: 'left' | 'right';
  /** The key that the server sorts by; absent = cannot be sorted. */
  sort?: string;
  /** Off until chosen. */
  hidden?: boolean;
  /** Always there: cannot be switched off. */
  fixed?: boolean;
  width?: number | string;
}

interface DataTableProps<T> {
  /** Names the file and the kept choice of columns. */
  name: string;
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[] | undefined;
  rowKey: (row: T) => string;
  /** Absent = a short list without pages or sorting. */
  query?: ListState;
  meta?: PageMeta | undefined;
  error?: unknown;
  onRetry?: () => unknown;
  /** What could not be loaded, in a sentence. */
  what?: string;
  empty?: ReactNode;
  filterBar?: ReactNode;
  onOpen?: (row: T) => void;
  /** A row that somebody else is done with. */
  dim?: (row: T) => boolean;
  /** Asks the server for all that matches as a file; absent = the list has none. */
  file?: FileCall;
  selection?: RowSelection<T>;
  /** Shown while something is selected. */
  bulk?: ReactNode;
}

/** A server-side list: URL state, sorting, column choice, the whole as a file, `j` `k` Enter `x`, cards on a phone. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { name, columns, rows, query, meta, error, onRetry, what, empty, filterBar, file } = props;
  const { t } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [off, setOff] = useLocalStorage<string[]>({
    key: `columns:${name}`,
    defaultValue: columns.filter((column) => column.hidden).map((column) => column.key),
    getInitialValueInEffect: false,
  });
  const shown = columns.filter((column) => column.fixed || !off.includes(column.key));
  const body = useRef<HTMLElement>(null);
  useRowKeys(body);

  const none = rows?.length === 0;
  // Of columns that are always there nothing can be chosen.
  const choice = columns.some((column) => !column.fixed);
  return (
    <Card p={0}>
      {(filterBar || file || choice) && (
        <div className={classes.toolbar} data-bare={!filterBar || undefined}>
          <div style={{ flex: 1, minWidth: 0 }}>{filterBar}</div>
          <Group gap={6} visibleFrom="sm">
            {choice && <ColumnChoice columns={columns} off={off} setOff={setOff} />}
            {file && <FileButton name={name} file={file} total={meta?.total} />}
          </Group>
        </div>
      )}
      {props.bulk && (props.selection?.selected.size ?? 0) > 0 && (
        <Group px="md" pb="sm">
          {props.bulk}
        </Group>
      )}
      {error ? (
        <div style={{ padding: 16 }}>
          <ErrorCard what={what ?? lists(($) => $.table.what)} error={error} onRetry={onRetry} />
        </div>
      ) : rows === undefined ? (
        <Loading lines={Math.min(query?.limit ?? 5, 10)} />
      ) : none ? (
        query?.filtered ? (
          <EmptyState
            title={lists(($) => $.table.noMatch)}
            action={
              <Button variant="default" size="xs" onClick={query.clearFilters}>
                {t(($) => $.actions.clearFilters)}
              </Button>
            }
          />
        ) : (
          (empty ?? <EmptyState title={lists(($) => $.table.empty)} />)
        )
      ) : phone ? (
        <Cards {...props} rows={rows} columns={shown} body={body} />
      ) : (
        <Rows {...props} rows={rows} columns={shown} body={body} />
      )}
      {query && meta && meta.total > 0 && <Footer query={query} meta={meta} />}
    </Card>
  );
}

type ViewProps<T> = DataTableProps<T> & {
  rows: readonly T[];
  columns: readonly Column<T>[];
  body: React.RefObject<HTMLElement | null>;
};

function Rows<T>(props: ViewProps<T>) {
  const { label, columns, rows, rowKey, query, onOpen, dim, selection, body } = props;
  const { t: lists } = useTranslation('lists');
  return (
    <Table.ScrollContainer
      minWidth={Math.max(480, columns.length * 110)}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={lists(($) => $.table.scroll, { label })}
    >
      <Table className={classes.wrap} verticalSpacing={11} highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {selection && <SelectAll rows={rows} rowKey={rowKey} selection={selection} />}
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} query={query} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body as React.RefObject<HTMLTableSectionElement>}>
          {rows.map((row) => {
            const key = rowKey(row);
            return (
              <Table.Tr
                key={key}
                className={classes.row}
                data-row={key}
                data-open={onOpen ? true : undefined}
                data-dim={dim?.(row) || undefined}
                tabIndex={onOpen ? 0 : -1}
                onClick={onOpen && ((event) => isPlain(event) && onOpen(row))}
                onKeyDown={(event) =>
                  rowKeys(
                    event,
                    () => onOpen?.(row),
                    () => toggleRow(selection, row, key),
                  )
                }
              >
                {selection && (
                  <Table.Td w={44}>
                    <SelectRow row={row} rowKey={key} selection={selection} />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td key={column.key} ta={column.align ?? 'left'}>
                    {column.render(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function HeadCell<T>({ column, query }: { column: Column<T>; query: ListState | undefined }) {
  const { t: lists } = useTranslation('lists');
  const align = column.align ?? 'left';
  if (!column.sort || !query)
    return (
      <Table.Th ta={align} w={column.width}>
        {column.label}
      </Table.Th>
    );
  const { sort } = column;
  const active = query.sortby === sort;
  const Icon = !active ? IconSelector : query.sortdirection === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <Table.Th
      ta={align}
      w={column.width}
      aria-sort={active ? (query.sortdirection === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={`mantine-UnstyledButton-root ${classes.sort}`}
        style={{ background: 'none', border: 0, padding: 0, cursor: 'pointer' }}
        onClick={() => query.setSort(sort)}
        title={lists(($) => $.table.sortBy, { column: column.label })}
      >
        <span>{column.label}</span>
        <Icon size={14} aria-hidden />
      </button>
    </Table.Th>
  );
}

function Cards<T>({ label, columns, rows, rowKey, onOpen, dim, selection, body }: ViewProps<T>) {
  const [title, ...rest] = columns;
  return (
    <ul className={classes.cards} aria-label={label} ref={body as React.RefObject<HTMLUListElement>}>
      {rows.map((row) => {
        const key = rowKey(row);
        const content = (
          <>
            <Group justify="space-between" wrap="nowrap" mb={4} fw={600}>
              <div>{title?.render(row)}</div>
              {selection && <SelectRow row={row} rowKey={key} selection={selection} />}
            </Group>
            <Pairs columns={rest} row={row} />
          </>
        );
        return (
          <li key={key}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the card is a wide target for what `open` offers below. */}
            <div
              className={classes.card}
              data-row={key}
              data-dim={dim?.(row) || undefined}
              onClick={onOpen && ((event) => isPlain(event) && onOpen(row))}
              onKeyDown={(event) => rowKeys(event, () => onOpen?.(row))}
            >
              {content}
              {onOpen && <OpenButton onOpen={() => onOpen(row)} />}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function OpenButton({ onOpen }: { onOpen: () => void }) {
  const { t: lists } = useTranslation('lists');
  return (
    <Button variant="default" fullWidth mt="xs" h={44} onClick={onOpen}>
      {lists(($) => $.table.open)}
    </Button>
  );
}

function Loading({ lines }: { lines: number }) {
  const { t } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 10_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Stack gap={10} p="md" role="status" aria-label={t(($) => $.loading)}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same.
        <Skeleton key={line} h={33} radius="sm" />
      ))}
      {slow && (
        <Text fz="sm" c="dimmed">
          {lists(($) => $.table.slow)}
        </Text>
      )}
    </Stack>
  );
}

interface ColumnChoiceProps<T> {
  columns: readonly Column<T>[];
  off: string[];
  setOff: (off: string[]) => void;
}

function ColumnChoice<T>({ columns, off, setOff }: ColumnChoiceProps<T>) {
  const { t: lists } = useTranslation('lists');
  return (
    <Menu position="bottom-end" closeOnItemClick={false} shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconColumns3 size={16} aria-hidden />}
        >
          {lists(($) => $.table.columns)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns
          .filter((column) => !column.fixed)
          .map((column) => (
            <Menu.CheckboxItem
              key={column.key}
              checked={!off.includes(column.key)}
              onChange={(on) => setOff(on ? off.filter((key) => key !== column.key) : [...off, column.key])}
            >
              {column.label}
            </Menu.CheckboxItem>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Footer({ query, meta }: { query: ListState; meta: PageMeta }) {
  const { t: lists } = useTranslation('lists');
  const { count } = useFormat();
  const from = (meta.page - 1) * meta.limit + 1;
  const to = Math.min(meta.total, meta.page * meta.limit);
  return (
    <div className={classes.footer}>
      <Group gap="sm">
        <Text fz="sm" c="dimmed" className="num">
          {lists(($) => $.table.range, { from: count(from), to: count(to), total: count(meta.total) })}
        </Text>
        <Select
          size="xs"
          w={76}
          aria-label={lists(($) => $.table.rows)}
          data={['10', '25', '50', '100']}
          value={String(query.limit)}
          onChange={(value) => value && query.setLimit(Number(value))}
          allowDeselect={false}
          comboboxProps={{ width: 90 }}
        />
      </Group>
      <Pages query={query} meta={meta} />
    </div>
  );
}

/** The pages of a list; nothing where there is one. */
export function Pages({ query, meta }: { query: ListState; meta: PageMeta }) {
  const { t: lists } = useTranslation('lists');
  if (meta.lastPage <= 1) return null;
  return (
    <Pagination
      size="sm"
      total={meta.lastPage}
      value={meta.page}
      onChange={query.setPage}
      aria-label={lists(($) => $.table.pages)}
      getItemProps={(page) => ({ 'aria-label': lists(($) => $.table.page, { page }) })}
      getControlProps={(control) => ({
        'aria-label':
          control === 'next'
            ? lists(($) => $.table.next)
            : control === 'previous'
              ? lists(($) => $.table.previous)
              : control === 'first'
                ? lists(($) => $.table.first)
                : lists(($) => $.table.last),
      })}
    />
  );
}

/** A click that is not on a control of the row, and not the end of a text selection. */
function isPlain(event: MouseEvent<HTMLElement>): boolean {
  const target = event.target as HTMLElement;
  return !target.closest('a, button, input, label') && (getSelection()?.toString() ?? '') === '';
}

function rowKeys(event: KeyboardEvent<HTMLElement>, open: () => void, select?: () => void) {
  if (event.target !== event.currentTarget) return;
  if (event.key === 'Enter') {
    event.preventDefault();
    open();
  }
  if (event.key === 'x' && select) {
    event.preventDefault();
    select();
  }
}

/** `j` and `k` walk the rows from wherever the focus is, fields and dialogs aside. */
function useRowKeys(body: React.RefObject<HTMLElement | null>) {
  const letters = usePrefs((prefs) => prefs.letterKeys);
  const move = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (!letters || (event.key !== 'j' && event.key !== 'k')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement | null;
    if (target?.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]')) return;
    const rows = [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[event.key === 'j' ? Math.min(at + 1, rows.length - 1) : Math.max(at - 1, 0)];
    next?.focus();
  });
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent) => move(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
