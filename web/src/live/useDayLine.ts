/** Fills today's line and the robots' sparklines from their operations, once they are on screen; facts go on from there. */
import { useQuery } from '@tanstack/react-query';
import { api, body } from '@/api/client';
import { businessDay } from '@/api/clock';
import { type Recent, robotLine, totalLine } from './dayLine';
import { inOrder, type Licence, recall, useLicences, working } from './licences';

/** The newest operations of the newest robots; the line of a very large fleet begins when it is opened. */
const OPERATIONS = 200;
const ROBOTS = 8;

async function recent(robotId: string): Promise<Recent | null> {
  const { data, meta } = await body(
    api.GET('/trader/orders-history/{robotId}', {
      params: { path: { robotId }, query: { limit: OPERATIONS } },
    }),
  );
  const now: Licence | undefined = useLicences.getState().byId[robotId];
  // What is known of the robot may be a settlement behind the list, or ahead of it: then its present is not the list's end.
  const unsettled = now ? meta.total - now.operations : -1;
  if (!now || unsettled < 0 || unsettled > data.length) return null;
  const today = businessDay();
  const orders = data
    .slice(unsettled)
    // What was taken back stands in the list and no longer counts.
    .map(({ created_at, result, reversedAt }) => ({
      at: Date.parse(created_at),
      result: reversedAt ? 0 : Number(result),
    }));
  const end = orders.findIndex(({ at }) => businessDay(at) !== today);
  return {
    today: Number(now.today),
    orders: end < 0 ? orders : orders.slice(0, end),
    more: end < 0 && meta.total > data.length,
  };
}

async function fill(ids: readonly string[]): Promise<boolean> {
  const found = await Promise.all(ids.slice(0, ROBOTS).map(async (id) => [id, await recent(id)] as const));
  const known = found.filter((entry): entry is readonly [string, Recent] => entry[1] !== null);
  const { byId } = useLicences.getState();
  const rest = inOrder(byId)
    .filter(({ _id }) => !ids.includes(_id))
    .reduce((sum, { today }) => sum + Number(today), 0);
  const whole = known.length === ids.length;
  recall(
    Object.fromEntries(known.map(([id, robot]) => [id, robotLine(robot).map(({ value }) => value)])),
    whole
      ? totalLine(
          known.map(([, robot]) => robot),
          rest,
        )
      : [],
  );
  if (!whole && ids.length <= ROBOTS) throw new Error('a robot moved meanwhile');
  return true;
}

export function useDayLine() {
  const ids = working(useLicences((book) => book.byId))
    .map(({ _id }) => _id)
    .join(' ');
  useQuery({
    queryKey: ['day-line', ids],
    queryFn: () => fill(ids.split(' ')),
    enabled: ids !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
    retryDelay: 700,
  });
}
