/** One's own licences as last told: REST seeds them, facts overwrite what changed; an older version never wins. Licences, robots and
 *  the dashboard read them, so they stand on the floor below the rooms. */
import { create } from 'zustand';
import { api, body, type Schemas } from '@/api/client';
import { serverNow } from '@/api/clock';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { setCounter } from './counters';
import type { Point } from './dayLine';
import { createFrameBatch } from './frameBatch';
import type { Mode, RobotTick } from './protocol';

export type Licence = Schemas['LicenceView'];
export type Plan = Schemas['PlanView'];

export const LIST = ['get', '/get-user-licenses'] as const;
export const RESULTS = ['get', '/dashboard/my-results'] as const;
export const ORDERS = ['get', '/trader/orders-history/{robotId}'] as const;

/** Points of a robot's line of today: enough for a sparkline, bounded. */
const POINTS = 120;

interface Book {
  byId: Record<string, Licence>;
  /** Today's result after each settlement, as far as this tab knows them. */
  spark: Record<string, readonly number[]>;
  /** Today's result of all robots, with its time in seconds. */
  line: readonly Point[];
}

export const useLicences = create<Book>()(() => ({ byId: {}, spark: {}, line: [] }));

/** As the server lists robots in operation: one at its goal rests until tomorrow. */
const running = (licence: Licence) => ['joining', 'operating'].includes(licence.robotStatus);

function store(change: (book: Book) => Partial<Book>) {
  useLicences.setState((book) => {
    const next = { ...book, ...change(book) };
    return { ...next, line: ended(next, serverNow()) };
  });
  const all = Object.values(useLicences.getState().byId);
  setCounter('robotsRunning', all.filter((licence) => licence.robotStatus === 'operating').length);
}

/** In micro-units, so that a long day's sums do not drift. */
const todayOf = (byId: Record<string, Licence>) =>
  Object.values(byId).reduce((sum, licence) => sum + Math.round(Number(licence.today) * 1e6), 0) / 1e6;

/** The line, ending in what today is now: what is drawn and what the tiles say are one figure, whoever changed it. */
function ended({ byId, line }: Pick<Book, 'byId' | 'line'>, at: number): readonly Point[] {
  const value = todayOf(byId);
  const last = line.at(-1);
  if (last?.value === value || (!last && value === 0)) return line;
  const time = Math.max(Math.floor(at / 1000), last?.time ?? 0);
  const before = last?.time === time ? line.slice(0, -1) : line;
  return [...before, { time, value }].slice(-POINTS * 10);
}

/** Puts licences in that are new or newer than what is known. */
export function put(licences: readonly Licence[]) {
  store(({ byId }) => {
    const next = { ...byId };
    for (const licence of licences)
      if ((next[licence._id]?.version ?? -1) <= licence.version) next[licence._id] = licence;
    return { byId: next };
  });
}

/** A robot's pause, its goal of the day, its key for one's own hand. */
export const configure = mutation({
  send: (change: { licence: string; paused?: boolean; dailyGainGoal?: string; manualKey?: boolean }) =>
    body(api.PATCH('/trader/config-robot-trader', { body: change })),
  patch: (licence) => put([licence]),
  changes: ['/trader/manual'],
});

export const clearLicences = () => useLicences.setState({ byId: {}, spark: {}, line: [] }, true);

/** A day is over: of its results nothing is left in today. */
export const beginDay = () =>
  useLicences.setState(({ byId }) => ({
    byId: Object.fromEntries(
      Object.entries(byId).map(([id, licence]) => [id, { ...licence, today: '0.000000' }]),
    ),
    spark: {},
    line: [],
  }));

/** What was before this tab looked: it replaces what was drawn, but for what came after it. */
export function recall(spark: Record<string, readonly number[]>, line: readonly Point[]) {
  const end = line.at(-1)?.time;
  store((book) => ({
    spark: {
      ...book.spark,
      ...Object.fromEntries(
        Object.entries(spark)
          .filter(([, values]) => values.length > 0)
          .map(([id, values]) => [id, values.slice(-POINTS)]),
      ),
    },
    ...(end !== undefined && {
      line: [...line, ...book.line.filter(({ time }) => time > end)].slice(-POINTS * 10),
    }),
  }));
}

/** Numbers for drawing only; amounts on screen stay strings. */
const drawn = (value: string) => Number(value);

function apply(batch: { robots: readonly RobotTick[]; at: number }[]) {
  store(({ byId, spark, line }) => {
    const next = { ...byId };
    const sparks = { ...spark };
    let points = line;
    for (const { robots, at } of batch) {
      for (const tick of robots) {
        const known = next[tick.licence];
        if (!known || known.version >= tick.version) continue;
        next[tick.licence] = {
          ...known,
          yield: tick.yield,
          topup: tick.topup,
          allocated: tick.allocated,
          loan: tick.loan,
          loanTaken: tick.loan === '0.000000' ? tick.loan : known.loanTaken,
          stoppedByLoan: tick.stoppedByLoan,
          limitLeft: tick.limitLeft,
          today: tick.today,
          totalGain: tick.totalGain,
          totalLoss: tick.totalLoss,
          operations: tick.operations,
          robotStatus: tick.status,
          joinsAt: tick.status === 'joining' ? known.joinsAt : null,
          version: tick.version,
        };
        // The first result is drawn from where the day stood before it.
        const before = sparks[tick.licence] ?? [drawn(known.today)];
        sparks[tick.licence] = [...before, drawn(tick.today)].slice(-POINTS);
      }
      points = ended({ byId: next, line: points }, at);
    }
    return { byId: next, spark: sparks, line: points };
  });
}

/** Settlements of one frame are drawn together. */
export const settled = createFrameBatch<{ robots: readonly RobotTick[]; mode: Mode; at: number }>((batch) => {
  apply(batch);
  // Their operations are not in the fact; those of other robots have not changed.
  const robots = new Set(batch.flatMap((one) => one.robots.map(({ licence }) => licence)));
  void queryClient.invalidateQueries({
    queryKey: ORDERS,
    predicate: ({ queryKey: [, , asked] }) =>
      robots.has((asked as { params: { path: { robotId: string } } }).params.path.robotId),
  });
});

export const inOrder = (byId: Record<string, Licence>) =>
  Object.values(byId).sort((a, b) => b.number - a.number);
export const working = (byId: Record<string, Licence>) => inOrder(byId).filter(running);
export const resting = (byId: Record<string, Licence>) =>
  inOrder(byId).filter(
    (licence) => ['active', 'ceiling_reached'].includes(licence.state) && !running(licence),
  );
