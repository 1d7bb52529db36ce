/** Where results come from, kept fresh: bookings ask for it anew, a few times a minute at most. */
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { invalidAnswer, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { onLive } from './live';
import type { Mode } from './protocol';

export const PERIODS = ['7d', '30d', '90d', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export const isPeriod = (text: string | null): text is Period => PERIODS.some((one) => one === text);

const PAUSE = 15_000;

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
  const { refetch } = answer;
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    const soon = () => {
      waiting.current ??= setTimeout(() => {
        waiting.current = undefined;
        void refetch();
      }, PAUSE);
    };
    const stops = [onLive('robots.settled', soon), onLive('balance.changed', soon)];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(waiting.current);
      waiting.current = undefined;
    };
  }, [refetch]);
  return answer;
}
