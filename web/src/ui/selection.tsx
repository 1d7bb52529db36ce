/** Choosing rows of a list: the boxes, who may be chosen, and all of a page at once. */
import { Checkbox, Table, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export interface RowSelection<T> {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** Names a row to who does not see it; its key without it. */
  label?: (row: T) => string;
  /** Why this row cannot be chosen. */
  blocked?: (row: T) => string | undefined;
}

export function toggleRow<T>(selection: RowSelection<T> | undefined, row: T, key: string) {
  if (!selection || selection.blocked?.(row) !== undefined) return;
  const next = new Set(selection.selected);
  if (!next.delete(key)) next.add(key);
  selection.onChange(next);
}

interface SelectRowProps<T> {
  row: T;
  rowKey: string;
  selection: RowSelection<T>;
}

/** One row's box; where it cannot be chosen it says why. */
export function SelectRow<T>({ row, rowKey, selection }: SelectRowProps<T>) {
  const cause = selection.blocked?.(row);
  const box = (
    <Checkbox
      aria-label={selection.label?.(row) ?? rowKey}
      aria-description={cause}
      aria-disabled={cause !== undefined || undefined}
      checked={cause === undefined && selection.selected.has(rowKey)}
      onChange={() => toggleRow(selection, row, rowKey)}
      {...(cause !== undefined && { style: { opacity: 0.45 } })}
    />
  );
  return cause === undefined ? (
    box
  ) : (
    <Tooltip label={cause} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <span>{box}</span>
    </Tooltip>
  );
}

interface SelectAllProps<T> {
  rows: readonly T[];
  rowKey: (row: T) => string;
  selection: RowSelection<T>;
}

/** All rows of the page that may be chosen. */
export function SelectAll<T>({ rows, rowKey, selection }: SelectAllProps<T>) {
  const { t: lists } = useTranslation('lists');
  const open = rows.filter((row) => selection.blocked?.(row) === undefined);
  const all = open.length > 0 && open.every((row) => selection.selected.has(rowKey(row)));
  return (
    <Table.Th w={44}>
      <Checkbox
        aria-label={lists(($) => $.filter.all)}
        checked={all}
        indeterminate={!all && selection.selected.size > 0}
        disabled={open.length === 0}
        onChange={() => selection.onChange(new Set(all ? [] : open.map(rowKey)))}
      />
    </Table.Th>
  );
}
