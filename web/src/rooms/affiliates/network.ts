/** The room's types, what its calls make untrue, and who may be asked for. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { patchRows, type RowOf, refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { PAID_BY } from '@/shared/network/paidBy';

export type BinaryTree = Schemas['BinaryTree'];
export type TreeNode = Schemas['TreeNode'];
export type Leg = Schemas['Leg'];
export type Rank = Schemas['Rank'];
export type Bonus = Schemas['BonusView'];
export type BonusDetail = Schemas['BonusDetail'];
export type BonusTotal = Schemas['BonusTotal'];
export type LostReason = Schemas['LostReason'];
export type BinaryNeed = Schemas['BinaryNeed'];
export type Reference = Schemas['Reference'];
export type Dashboard = Schemas['NetworkDashboard'];

export const LEGS: readonly Leg[] = ['left', 'right'];
export const RANKS: readonly Rank[] = [
  'bronze',
  'silver',
  'gold',
  'platinum',
  'diamond',
  'double_diamond',
  'ambassador',
  'crown',
];
export const LOST: readonly LostReason[] = ['inactive', 'not_qualified', 'network_ceiling', 'daily_cap'];

export const TREE = '/affiliates/diagram-binary-tree/{param}';
export const NETWORK = '/affiliates/dashboard';
export const LOG = '/affiliates/bonus-log';
export const OWN_BONUS = '/affiliates/bonus-log/{bonus}';
export const REFERENCES = '/affiliates/reference-list';
export const OWN_GRADUATIONS = '/affiliates/graduations';
export const OWN_SALES = '/affiliates/bonus-log/{bonus}/sales';
export const OWN_PLACEMENT = '/affiliates/bonus-log/{bonus}/path/{member}';
export const ANY_BONUS = '/admin/bonus-report/{bonus}';
export const ANY_SALES = '/admin/bonus-report/{bonus}/sales';
export const ANY_PLACEMENT = '/admin/bonus-report/{bonus}/path/{member}';
export const PAYOUT = '/admin/payout-report';

/** A part of the tree below somebody: `me`, an id or a username. */
export const treeOptions = (param: string, levels: number) =>
  $api.queryOptions('get', TREE, { params: { path: { param }, query: { levels } } });

/** What a closing changes. Everything else of the network moves by the day. */
export const afterClosing = () =>
  refetch(
    TREE,
    NETWORK,
    LOG,
    OWN_BONUS,
    PAID_BY,
    OWN_GRADUATIONS,
    REFERENCES,
    '/admin/bonus-report',
    ANY_BONUS,
    PAYOUT,
    '/admin/binary-lost-points-report',
    QUEUES.graduationBonuses.list,
    '/admin/graduations',
  );

/** A bonus as last told: its row, and what is open of it. Whether points have moved as well: they do with the sale behind it, when the bonus
 *  is new or is taken back, not when it is paid later or released. */
export function showBonus(bonus: Bonus): boolean {
  const lists = queryClient.getQueriesData<{ data: RowOf<typeof LOG>[] }>({ queryKey: ['get', LOG] });
  const known = lists.flatMap(([, list]) => list?.data ?? []).find(({ _id }) => _id === bonus._id);
  patchRows([LOG], bonus);
  queryClient.setQueriesData<BonusDetail>({ queryKey: ['get', OWN_BONUS] }, (detail) =>
    detail?.bonus._id === bonus._id && detail.bonus.version < bonus.version ? { ...detail, bonus } : detail,
  );
  return !known || known.dropped !== bonus.dropped || known.returned !== bonus.returned;
}

/** What a bonus changes beside itself, and does not say: sums over many, which are read apart from their rows so that no difference can be
 *  added to them; the movements behind it and its place in the fund's line. */
export const afterBonuses = (pointsMoved: boolean) =>
  refetch(LOG, OWN_BONUS, NETWORK, PAID_BY, ...(pointsMoved ? ([TREE, REFERENCES] as const) : []));

export const saveLeg = mutation({
  send: (selectedLeg: Leg) =>
    body(api.PATCH('/affiliates/binary-tree/save-selected-leg', { body: { selectedLeg } })),
  patch: ({ selectedLeg }) =>
    queryClient.setQueriesData<BinaryTree>({ queryKey: ['get', TREE] }, (known) =>
      known ? { ...known, selectedLeg } : known,
    ),
  changes: ['/affiliates/my-upline'],
});

export const withdrawBonus = mutation({
  send: (value: string, key) =>
    body(api.POST('/bonus/withdraw', { params: { header: { 'Idempotency-Key': key } }, body: { value } })),
  changes: ['/statement', '/dashboard/my-results'],
});
