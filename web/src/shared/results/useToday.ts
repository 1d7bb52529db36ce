import { useLicences } from '@/live/licences';
import { sum } from '@/ui/money';

/** Today's result of all of one's robots, whatever each of them does now, in the world's mode. The one figure of this name: every
 *  tile shows it, and the line of today ends in it. */
export const useToday = (): string =>
  useLicences(({ byId }) => sum(Object.values(byId).map(({ today }) => today)));
