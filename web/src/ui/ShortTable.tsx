import { Group, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';
import { Pairs } from './Pairs';

export interface ShortColumn<T> {
  key: string;
  label: string;
  render: (row: T) => ReactNode;
  /** A figure: at the right edge. */
  figure?: boolean;
}

interface ShortTableProps<T> {
  /** Its name; `caption` shows it above. */
  label: string;
  caption?: boolean;
  /** The first one names the row. */
  columns: readonly ShortColumn<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  testId?: (row: T) => string;
}

/** A few rows that are all there: a table, on a phone a list of cards as those of the long tables. */
export function ShortTable<T>({ label, caption = false, columns, rows, rowKey, testId }: ShortTableProps<T>) {
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [title, ...rest] = columns;
  if (phone)
    return (
      <div>
        {caption && (
          <Text fz="sm" c="dimmed" ta="center" mb={8} aria-hidden>
            {label}
          </Text>
        )}
        <ul className={classes.cards} aria-label={label} style={{ padding: 0 }}>
          {rows.map((row) => (
            <li key={rowKey(row)} className={classes.card} data-testid={testId?.(row)}>
              <Group mb={4} fw={600} style={{ overflowWrap: 'anywhere' }}>
                <div style={{ minWidth: 0 }}>{title?.render(row)}</div>
              </Group>
              <Pairs columns={rest} row={row} />
            </li>
          ))}
        </ul>
      </div>
    );
  return (
    <Table captionSide="top" {...(!caption && { 'aria-label': label })}>
      {caption && <Table.Caption>{label}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.key} scope="col" ta={column.figure ? 'right' : 'left'}>
              {column.label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={rowKey(row)} data-testid={testId?.(row)}>
            {columns.map((column, place) =>
              place === 0 ? (
                <Table.Th key={column.key} scope="row" fw={500}>
                  {column.render(row)}
                </Table.Th>
              ) : (
                <Table.Td key={column.key} ta={column.figure ? 'right' : 'left'}>
                  {column.render(row)}
                </Table.Td>
              ),
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
