/** The room's types, what its calls make untrue, and who may be asked for. */
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { refetch } from '@/api/lists';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { QUEUES } from '@/api/queues';
import { PAID_BY } from '@/shared/network/paidBy';

export type BinaryTree = Schemas['BinaryTree'];
export type TreeNode = Schemas['TreeNode'];
export type Leg = Schemas['Leg'];
export type Rank = Schemas['Rank'];
export type Bonus = Schemas['BonusView'];
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
export const OWN_GRADUATIONS = '/affiliates/graduations';
export const ANY_BONUS = '/admin/bonus-report/{bonus}';
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
    '/affiliates/reference-list',
    '/admin/bonus-report',
    ANY_BONUS,
    PAYOUT,
    '/admin/binary-lost-points-report',
    QUEUES.graduationBonuses.list,
    '/admin/graduations',
  );

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
