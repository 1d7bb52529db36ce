// @vitest-environment node

/** A text says no figure that staff may tune: it takes the server's, or does without [docs/rules/web.md#amounts-shown]. What has a figure with its
 *  unit all the same is listed here, since the program fixes it; a text that is new here belongs to a setting or on the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LOCALES } from './locales';

type Tree = { [key: string]: string | Tree };

const FIGURE =
  /\d[\d.,]*\s*(%|h\b|USDT|days?\b|dias?\b|días?\b|hours?\b|horas?\b|minut|seconds?\b|segundos?\b|per ?cent|por c)/i;

const PAGES: Record<string, readonly string[]> = {
  account: ['email.how', 'export.emptyHint'],
  affiliates: ['staff.payout.over', 'staff.payout.overNothing', 'staff.payout.ratio'],
  analytics: ['periods.7d', 'periods.30d', 'periods.90d'],
  approvals: [
    'signal.new_account',
    'signal.many_deposits',
    'signal.large_amount',
    'short.many_deposits',
    'withdrawal.signal.fresh_deposit',
    'withdrawal.signal.new_account',
    'withdrawal.signal.many_withdrawals',
    'withdrawal.signal.large_amount',
    'withdrawal.short.many_withdrawals',
    'document.consequence',
  ],
  compliance: [
    'reason.in_and_out',
    'explained.in_and_out',
    'explained.refused_before',
    'explained.repeated_trades',
    'explained.trade_loss',
    'refuse.consequence',
    'pause.reviewHint',
  ],
  dashboard: ['periods.7d', 'periods.30d', 'periods.90d', 'gold.hint', 'robots.line', 'activity.empty'],
  exchange: ['market.day', 'market.volume'],
  identity: [
    'second.hint.email',
    'change.after',
    'account.password.hint',
    'account.limits.hint',
    'account.limits.day',
    'account.limits.raiseNote',
    'account.limits.waits',
  ],
  lists: ['queue.old', 'case.reason.in_and_out', 'period.week', 'period.month30'],
  notifications: [
    'queue_old_pix_deposits',
    'queue_old_pix_withdrawals',
    'queue_old_crypto_deposits',
    'queue_old_crypto_withdrawals',
    'queue_old_transfers',
    'queue_old_compliance',
    'queue_old_graduation_bonuses',
    'queue_old_sponsorship',
    'queue_old_pool_revenue',
    'queue_old_holdings',
    'queue_old_settings',
    'queue_old_rounds',
    'queue_old_pauses',
    'queue_old_live',
    'queue_old_grants',
    'queue_old_tickets',
    'payout_over',
    'payout_below',
    'ticket_closed',
  ],
  overview: ['house.peopleHint', 'house.payout', 'house.noMoney'],
  people: ['add.mail', 'edit.emailEffect', 'factors.effect', 'look.effect'],
  pix: ['withdraw.steps.reviewHint'],
  robots: ['manual.nextHint', 'manual.outcomes.expired'],
  rules: [
    'twoPersons',
    'moneyHint',
    'waiting.aDayLater',
    'effects.payout_days_now',
    'effects.payout_days',
    'effects.fees_to_fund',
    'names.outboundPerDay',
    'names.compliancePairTrades',
    'names.compliancePairLoss',
    'names.pyxReferenceVolume',
  ],
  shell: ['spendable.day'],
  support: ['actions.closeHint'],
  transfers: ['signals.in_and_out'],
  wallet: ['form.busd'],
  web3: ['faucet.fill', 'swap.consequence', 'phrase.consequence', 'whitelist.offHint', 'whitelist.done.off'],
  withdrawals: ['queue.signal.many_withdrawals', 'queue.signal.large_amount'],
};
const SERVER: readonly string[] = [
  'errors.outbound.day_limit',
  'errors.wallet.slippage_invalid',
  'errors.message.too_old',
  'errors.order.loss',
  'mail.confirm_email.body',
  'mail.sign_in_code.body',
  'mail.security_code.body',
  'mail.invitation.body',
  'mail.address_given_back.body',
  'mail.account_seen.body',
  'mail.details.limit.day',
  'words.reason_in_and_out',
  'freeze.asks',
];

const leaves = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : leaves(value, `${path}${key}.`),
  );
const figures = (file: string, value: RegExp) =>
  leaves(JSON.parse(readFileSync(file, 'utf8')) as Tree)
    .filter(([, text]) => FIGURE.test(text.replace(value, '')))
    .map(([key]) => key);
const unlisted = (found: string[], listed: readonly string[] = []) =>
  found.filter((key) => !listed.includes(key));

test.each(LOCALES)('%s: no page says a figure that is a setting', (locale) => {
  const folder = join(import.meta.dirname, locale);
  const wrong = readdirSync(folder).flatMap((file) =>
    unlisted(figures(join(folder, file), /\{\{.*?\}\}/g), PAGES[file.replace('.json', '')]).map(
      (key) => `${file}: ${key}`,
    ),
  );
  expect(wrong).toEqual([]);
});

test.each(LOCALES)('%s: nor does a letter or a refusal', (locale) => {
  const file = resolve(import.meta.dirname, '../../../server/locales', `${locale}.json`);
  expect(unlisted(figures(file, /\{.*?\}/g), SERVER)).toEqual([]);
});

test('what is listed is there', () => {
  const pages = Object.entries(PAGES).flatMap(([name, keys]) => {
    const found = LOCALES.flatMap((locale) =>
      figures(join(import.meta.dirname, locale, `${name}.json`), /\{\{.*?\}\}/g),
    );
    return unlisted([...keys], found);
  });
  const said = LOCALES.flatMap((locale) =>
    figures(resolve(import.meta.dirname, '../../../server/locales', `${locale}.json`), /\{.*?\}/g),
  );
  expect([...pages, ...unlisted([...SERVER], said)]).toEqual([]);
});
