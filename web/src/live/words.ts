import type { Schemas } from '@/api/client';
/** Words of those who decide: what lists things of a kind, asked anew when the first of two words about one of them falls away. */
import { type ReadPath, refetch } from '@/api/lists';
import { QUEUES } from '@/api/queues';
import { onLive } from './live';

const MONEY_SETTINGS = [QUEUES.settings.list, '/admin/settings/history', QUEUES.rounds.list] as const;

/** The calls that show who has spoken, or how many have. */
const SHOWN = {
  pix_deposit: [QUEUES.pixDeposits.list],
  pix_reversal: [QUEUES.pixDeposits.list],
  pix_withdrawal: [QUEUES.pixWithdrawals.list],
  pix_unpaid: [QUEUES.pixWithdrawals.list],
  crypto_withdrawal: [QUEUES.cryptoWithdrawals.list],
  hot_wallet: [QUEUES.cryptoWithdrawals.list],
  crypto_deposit: [QUEUES.cryptoDeposits.list],
  transfer: [QUEUES.transfers.list],
  held_bonus: [QUEUES.compliance.list],
  graduation_bonus: [QUEUES.graduationBonuses.list],
  sponsorship: [QUEUES.sponsorship.list],
  pool_revenue: [QUEUES.poolRevenue.list],
  declared_holdings: [QUEUES.holdings.list],
  money_settings: MONEY_SETTINGS,
  live_trading: [QUEUES.live.list],
  admin_grant: [QUEUES.grants.list],
  pause_lift: [QUEUES.pauses.list],
  result_reversal: ['/admin/robots/{robotId}/operations'],
} as const satisfies Partial<Record<Schemas['DecisionKind'], readonly ReadPath[]>>;

/** A kind of decision that may take two persons. */
export type DecidedByTwo = keyof typeof SHOWN;

/** The calls that answer otherwise when a word of this kind is spoken, falls away or is taken back. */
export const shownOf = (kind: string): readonly ReadPath[] => [
  '/admin/approvals/preview',
  '/admin/waiting',
  ...(SHOWN[kind as DecidedByTwo] ?? []),
];

export const wordsLive = {
  listen: () => onLive('decision.word_fell', ({ decision }) => void refetch(...shownOf(decision))),
};
