/** The rulebook's calls, and how its values are written. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { refetch, showRow } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { asApiError } from '@/api/problem';
import { QUEUES } from '@/api/queues';
import type texts from '@/i18n/pt/rules.json';
import { useFormat } from '@/ui/format';
import { isDecimal } from '@/ui/money';

export type Setting = Schemas['SettingView'];
export type Change = Schemas['RuleChangeView'];
export type Kind = Setting['kind'];
type Names = (typeof texts)['names'];
type PlanTexts = (typeof texts)['plan'];

const SETTINGS = QUEUES.settings.list;
export const useRules = () => $api.useQuery('get', SETTINGS);

const HISTORY = '/admin/settings/history';
/** What holds once a change is in force. */
const IN_FORCE = ['/admin/plans', '/licences/plans', '/config'] as const;
/** Everything that a change may have moved. */
const RULES = [SETTINGS, HISTORY, ...IN_FORCE] as const;

/** A change as last told. What is set now, what waits and in which order it does not say. */
export function showChange(change: Change) {
  showRow([HISTORY], change, { whole: true });
  void refetch(SETTINGS, ...(change.status === 'in_force' ? IN_FORCE : []));
}

/** A refusal says that the screen is behind. */
export const changeSetting = mutation({
  send: (order: Schemas['RuleOrder']) => body(api.POST(SETTINGS, { body: order })),
  changes: RULES,
  always: true,
});

/** A plan's other terms, or a new plan. */
export const savePlan = mutation({
  send: async ({ id, ...order }: Schemas['RuleOrder'] & { id: string | undefined }) =>
    id === undefined
      ? body(api.POST('/admin/plans', { body: order }))
      : body(api.PATCH('/admin/plans/{id}', { params: { path: { id } }, body: order })),
  changes: RULES,
  always: true,
});

/** The second person's half of a change, or its end. */
export const decideChange = mutation({
  send: async ({
    id,
    ...order
  }: { id: string } & ({ what: 'agree' } | { what: 'withdraw'; reason: string })) => {
    const params = { path: { id } };
    return order.what === 'agree'
      ? body(api.POST('/admin/settings/changes/{id}/agree', { params }))
      : body(api.POST('/admin/settings/changes/{id}/withdraw', { params, body: { reason: order.reason } }));
  },
  changes: RULES,
});

/** The feed of the desk and its venues. */
export type FeedsView = Schemas['FeedsView'];

/** The switch of live trading. */
export type Trading = Schemas['LiveTrading'];

const REFRESH = 5_000;

const TRADING = QUEUES.live.list;
const TRADED = [TRADING, '/admin/trading/live/residues'] as const;

export const useTrading = () =>
  useQuery<Trading>({
    queryKey: ['get', TRADING],
    queryFn: () => body(api.GET(TRADING)),
  });

/** The switch with what is open, and what booked operations have left behind. */
export const refetchTrading = () => refetch(...TRADED);

export const askTrading = mutation({
  send: (order: { word: string; reason: string }) => body(api.POST(TRADING, { body: order })),
  changes: TRADED,
});

/** The request that was seen is confirmed, and no other. A refusal says that the screen is behind. */
export const turnTrading = mutation({
  send: (order: { what: 'confirm'; id: string } | { what: 'off' }) =>
    order.what === 'confirm'
      ? body(api.POST('/admin/trading/live/confirm', { body: { id: order.id } }))
      : body(api.POST('/admin/trading/live/off')),
  changes: TRADED,
  always: true,
});

/** `null`: this server tells nothing of its feeds. */
export const useFeeds = () =>
  useQuery<FeedsView | null>({
    queryKey: ['get', '/admin/feeds'],
    queryFn: async () => {
      try {
        return await body(api.GET('/admin/feeds'));
      } catch (error) {
        if (asApiError(error).status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (state.data === null ? false : REFRESH),
  });

/** A value as this language writes it, with its unit. */
export function useRuleText() {
  const { t } = useTranslation('rules');
  const format = useFormat();
  const unit = (value: string, kind: Kind | 'flag'): string => {
    switch (kind) {
      case 'percent':
        return isDecimal(value) ? `${format.exact(value)}%` : value;
      case 'usdt':
        return isDecimal(value) ? format.usdt(value, 2) : value;
      case 'rate':
        return isDecimal(value) ? `R$\u00a0${format.exact(value)}` : value;
      case 'monthDays':
        return value.split(',').join(', ');
      case 'flag':
        return value === 'true' ? t(($) => $.yes) : t(($) => $.no);
      case 'text':
        return value;
      default:
        return `${format.exact(value)}${kind === 'count' ? '' : `\u00a0${t(($) => $.units[kind])}`}`;
    }
  };
  const name = (key: string): string => {
    const known = t(($) => $.names, { returnObjects: true }) as Record<string, string>;
    return known[key as keyof Names] ?? key;
  };
  const term = (key: string): string => {
    const known = t(($) => $.plan, { returnObjects: true }) as Record<string, string>;
    return known[key as keyof PlanTexts] ?? key;
  };
  return { unit, name, term };
}

/** How each of a plan's terms is written. */
export const TERMS: Record<string, Kind | 'flag'> = {
  value: 'usdt',
  isHighRisk: 'flag',
  maximumReturn: 'percent',
  networkCeiling: 'percent',
  allocationFactor: 'count',
  active: 'flag',
};
