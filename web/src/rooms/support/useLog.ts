/** The rows of a conversation, of which those around what is on screen are drawn. It stays at its end while the reader is there, counts what comes below
 *  while they are not, and nothing moves for them when earlier rows come above. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ESTIMATES, placeOf, type Row } from './rows';

/** From the end, in pixels: who is so near reads on there. */
const NEAR = 48;
/** From the beginning: earlier rows are asked for before one arrives there. */
const AHEAD = 800;
/** Rows drawn beyond the screen, on each side. */
const OVERSCAN = 16;
const GAP = 4;
const PADDING = 16;

const isNear = (log: HTMLElement) => log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;

/** About where the end is, so that the first drawing is there already; what is short begins where it is. */
function endOf(rows: readonly Row[]): number {
  const all = rows.reduce((sum, { kind }) => sum + ESTIMATES[kind] + GAP, 2 * PADDING);
  return all > window.innerHeight ? all : 0;
}

interface LogOptions {
  box: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  /** The newest message's number. */
  last: number;
  /** Rows that are drawn wherever one is: somebody is at work in them. */
  held: ReadonlySet<string>;
  /** The reader comes near the first row. */
  onBeginning: () => void;
}

export function useLog({ box, rows, last, held, onBeginning }: LogOptions) {
  const [atBottom, setAtBottom] = useState(true);
  /** The row that one was led to. */
  const [marked, setMarked] = useState<number | null>(null);
  const [sought, setSought] = useState<number | null>(null);
  const seen = useRef(last);
  const height = useRef(0);
  /** How large the box was when it last scrolled: another size moves it, and nobody has. */
  const shape = useRef('');
  const stays = useRef(true);
  stays.current = atBottom;
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const kept = useMemo(
    () => (held.size === 0 ? [] : rows.flatMap(({ key }, index) => (held.has(key) ? [index] : []))),
    [rows, held],
  );
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      return kept.length === 0 ? shown : [...new Set([...shown, ...kept])].sort((a, b) => a - b);
    },
    [kept],
  );
  const virtual = useVirtualizer<HTMLElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize: (index) => ESTIMATES[rows[index]?.kind ?? 'message'],
    initialOffset: () => endOf(rows),
    rangeExtractor,
    overscan: OVERSCAN,
    gap: GAP,
    paddingStart: PADDING,
    paddingEnd: PADDING,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR,
  });

  const latest = useRef(onBeginning);
  latest.current = onBeginning;
  const begins = useCallback(() => {
    if (box.current && box.current.scrollTop < AHEAD) latest.current();
  }, [box]);
  // After it has been put where it belongs: at its end to begin with, and where the reader was when earlier rows came.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may begin elsewhere.
  useEffect(() => begins(), [rows, begins]);
  useLayoutEffect(() => virtual.scrollToEnd(), [virtual]);
  // A turned phone or an opened keyboard: who was at the end is there afterwards.
  useEffect(() => {
    const log = box.current;
    if (!log) return;
    const resized = new ResizeObserver(() => {
      if (stays.current) virtual.scrollToEnd();
    });
    resized.observe(log);
    return () => resized.disconnect();
  }, [box, virtual]);
  useLayoutEffect(() => {
    if (atBottom) seen.current = last;
  }, [atBottom, last]);
  useLayoutEffect(() => {
    if (sought === null) return;
    const index = placeOf(rows, sought);
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: 'center' });
    if (box.current) {
      height.current = box.current.scrollTop;
      setAtBottom(isNear(box.current));
    }
    setMarked(sought);
    setSought(null);
  }, [sought, rows, virtual, box]);

  return {
    atBottom,
    below: atBottom ? 0 : Math.max(0, last - seen.current),
    marked,
    items: virtual.getVirtualItems(),
    total: virtual.getTotalSize(),
    measure: virtual.measureElement,
    onScroll: () => {
      const log = box.current;
      if (!log) return;
      // Only who goes up leaves the end: rows that grow do not take anybody away from it.
      const size = `${log.clientWidth} ${log.clientHeight}`;
      const up = size === shape.current && log.scrollTop < height.current - 1;
      shape.current = size;
      height.current = log.scrollTop;
      if (isNear(log)) setAtBottom(true);
      else if (up) setAtBottom(false);
      begins();
    },
    toEnd: () => {
      setAtBottom(true);
      setMarked(null);
      virtual.scrollToEnd();
    },
    /** Once it is here. */
    seek: (number: number) => setSought(number),
  };
}
