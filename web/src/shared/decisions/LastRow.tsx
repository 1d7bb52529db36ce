import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpensAfter } from '@/ui/useOpensAfter';

interface LastRowProps<Row> {
  row: Row | null;
  children: (row: Row, opened: boolean) => ReactNode;
}

/** What is open, and after it is closed the last one: it stays while the drawer slides out. */
export function LastRow<Row>({ row, children }: LastRowProps<Row>) {
  const [shown, setShown] = useState(row);
  useEffect(() => {
    if (row) setShown(row);
  }, [row]);
  const opened = useOpensAfter(shown !== null && row !== null);
  return shown && children(shown, opened);
}

/** The line on top of a decision: who else has it open, how many have agreed. */
export function useDecisionNotice(): (of: {
  deciding: string | undefined;
  waits: boolean;
  given: number;
  needed: number;
  /** What else is to be said. */
  also?: readonly (string | false)[];
}) => string | undefined {
  const { t: lists } = useTranslation('lists');
  return ({ deciding, waits, given, needed, also = [] }) => {
    const lines = [
      ...(deciding ? [lists(($) => $.queue.deciding, { name: deciding })] : []),
      ...(waits && given > 0 ? [lists(($) => $.queue.standing, { given, needed })] : []),
      ...also.filter((line) => line !== false),
    ];
    return lines.length > 0 ? lines.join(' · ') : undefined;
  };
}
