import type { ReactNode } from 'react';
import { type Column, DataTable } from './DataTable';
import { FilterBar, type FilterField, PERIOD } from './FilterBar';
import type { RowSelection } from './selection';
import type { ListOf } from './useList';

interface ListProps<Row, F extends string> {
  /** From `useList`. */
  list: ListOf<Row, F>;
  /** Names the file and the kept choice of columns. */
  name: string;
  label: string;
  /** What could not be loaded, in a sentence. */
  what?: string;
  columns: readonly Column<Row>[];
  /** A row's `_id` without it. */
  rowKey?: (row: Row) => string;
  /** Search and choices; a list that knows `startDate` and `endDate` has its period by itself, last. */
  fields?: readonly FilterField<F>[];
  empty?: ReactNode;
  onOpen?: ((row: Row) => void) | undefined;
  /** A row that somebody else is done with. */
  dim?: (row: Row) => boolean;
  selection?: RowSelection<Row> | undefined;
  /** Shown while something is selected. */
  bulk?: ReactNode;
}

const idOf = (row: unknown) => (row as { _id: string })._id;

/** One list of the server's on screen: filters, rows or cards, its states, pages and file. */
export function List<Row, F extends string>(props: ListProps<Row, F>) {
  const { list, name, label, what, columns, rowKey = idOf, fields = [], empty, onOpen, dim } = props;
  const { selection, bulk } = props;
  const { state } = list;
  const names: readonly string[] = state.names;
  const dated = names.includes(PERIOD.from) && names.includes(PERIOD.to);
  const shown: readonly FilterField[] = dated ? [...fields, { kind: 'period' }] : fields;
  const table = (
    <DataTable<Row>
      name={name}
      label={label}
      columns={columns}
      rows={list.rows}
      meta={list.meta}
      rowKey={rowKey}
      query={state}
      error={list.error}
      onRetry={list.refetch}
      empty={empty}
      {...(what !== undefined && { what })}
      {...(list.file && { file: list.file })}
      {...(onOpen && { onOpen })}
      {...(dim && { dim })}
      {...(selection && { selection, bulk })}
      {...(shown.length > 0 && { filterBar: <FilterBar query={state} fields={shown} /> })}
    />
  );
  return list.area ? <div {...list.area}>{table}</div> : table;
}
