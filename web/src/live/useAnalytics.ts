/** Where results come from, kept fresh by bookings. */
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { invalidAnswer, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import type { Mode } from './protocol';
import { useBookings } from './useBookings';

export const PERIODS = ['7d', '30d', '90d', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export const isPeriod = (text: string | null): text is Period => PERIODS.some((one) => one === text);

export function useAnalytics(param: Period, mode: Mode | null, robot: string | null = null) {
  const answer: UseQueryResult<Schemas['Analytics'], unknown> = $api.useQuery(
    'get',
    '/dashboard/analytics/{param}',
    { params: { path: { param }, query: { ...(mode && { mode }), ...(robot && { robot }) } } },
    {
      placeholderData: keepPreviousData,
      select: (analytics) => {
        if (!analytics.total) throw invalidAnswer();
        return analytics;
      },
    },
  );
  useBookings(answer.refetch);
  return answer;
}
