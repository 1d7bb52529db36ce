import type { ReactNode } from 'react';
import classes from './DataTable.module.css';

interface PairsProps<T> {
  columns: readonly { key: string; label: string; render: (row: T) => ReactNode }[];
  row: T;
}

/** The columns of one row below each other, as a card shows them. */
export function Pairs<T>({ columns, row }: PairsProps<T>) {
  return (
    <dl style={{ margin: 0 }}>
      {columns.map((column) => (
        <div key={column.key} className={classes.pair}>
          <dt>{column.label}</dt>
          <dd>{column.render(row)}</dd>
        </div>
      ))}
    </dl>
  );
}
