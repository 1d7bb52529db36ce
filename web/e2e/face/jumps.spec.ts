/** Nothing jumps away from under a finger while a screen's answers come in one after the other, on a phone. */

import { ACCOUNT } from './accountFixtures';
import { GRADUATION, MEMBERS } from './affiliatesFixtures';
import { ANSWERS as AUDIT } from './auditFixtures';
import { AT_WORK, page as listed } from './fixtures';
import { balanceOf, LOW, MONEY, payouts, SALES, SPONSORSHIP } from './moneyFixtures';
import { ANSWERS as OVERVIEW } from './overviewFixtures';
import { STAFF as POOLS } from './poolsFixtures';
import { ANSWERS as RULES } from './rulesFixtures';
import { ADMINISTRATOR, CUSTOMER, type Stub, stub } from './stub';
import { AT_HAND } from './web3Fixtures';
import { expect, type Page, type Route, test } from './window';
import { YEAR } from './yearlyFixtures';

const PHONE = { width: 390, height: 844 };
/** What search engines call good is 0.1. */
const MOST = 0.05;

const RANKS = { 'GET /admin/graduation': GRADUATION, 'GET /admin/graduations': MEMBERS };
const PERMISSIONS = {
  'GET /admin/roles': {
    data: [
      { _id: 'r-customer', name: 'customer', permissions: [{ action: 'read', subject: 'registered-user' }] },
    ],
  },
  'GET /admin/grants': { requests: [], freezes: [], lifters: 2, newApproverHours: 24 },
  'GET /admin/role-holders': listed(
    [1, 2, 3].map((n) => ({ person: balanceOf(n), active: true, roles: ['r-customer'], decides: null })),
  ),
};

const SCREENS = [
  ['the wallet', '/account-setting?tab=crypto', 'Destinos permitidos', CUSTOMER, AT_HAND],
  ['the overview', '/administrator/dashboard', 'Solvência', ADMINISTRATOR, OVERVIEW],
  ['the audit', '/administrator/audit', 'Corrente da auditoria', ADMINISTRATOR, AUDIT],
  ['sales', '/crypto-deposits-list', 'Por plano', ADMINISTRATOR, SALES],
  ['what is paid over the chain', '/crypto-withdrawal-list', 'Carteira de saques', ADMINISTRATOR, payouts()],
  ['a wallet that runs low', '/crypto-withdrawal-list', 'Carteira de saques', ADMINISTRATOR, payouts([LOW])],
  ['deposits by PIX', '/wallet/my-deposits-pix', 'Pague com PIX', CUSTOMER, MONEY],
  ['withdrawals by PIX', '/wallet/my-withdrawals-pix', 'Novo saque', CUSTOMER, MONEY],
  ['withdrawals over the chain', '/wallet/my-withdrawals', 'Novo saque', CUSTOMER, MONEY],
  ['the first screen', '/', 'Atividade', CUSTOMER, AT_WORK],
  ['the statement', '/customer/extrato', 'Extrato', CUSTOMER, AT_WORK],
  ['sponsorship', '/add-remove-balance', 'Patrocínio', ADMINISTRATOR, SPONSORSHIP],
  ['pools', '/administrator/pools', 'Receita', ADMINISTRATOR, POOLS],
  ['ranks', '/graduations', 'Níveis', ADMINISTRATOR, RANKS],
  ['who may what', '/administrator/set-permissions', 'Pessoas', ADMINISTRATOR, PERMISSIONS],
  ['a year', '/customer/extrato?view=year', 'Bens e Direitos', CUSTOMER, { 'GET /yearly-statement': YEAR }],
  ["one's data", '/account-setting?tab=privacy', 'Meus dados', CUSTOMER, ACCOUNT],
  ['the configuration', '/administrator/robot-config', 'Mudanças em espera', ADMINISTRATOR, RULES],
] as const;

/** Each answer comes when the one before it has been drawn: as on a slow line, in the order of the questions. */
function oneByOne(page: Page, { answers }: Stub) {
  let before: Promise<unknown> = Promise.resolve();
  const drawn = () =>
    page
      .evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      .catch(() => {});
  for (const [call, answer] of Object.entries(answers)) {
    if (typeof answer === 'function' || call.includes('/auth/') || call === 'GET /me') continue;
    answers[call] = (route: Route) => {
      const own = before.then(() => route.fulfill({ json: answer })).then(drawn);
      before = own.catch(() => {});
      return own.then(() => {});
    };
  }
}

for (const [what, path, last, user, answers] of SCREENS)
  test(`${what} stays where it is`, async ({ page }) => {
    await page.setViewportSize(PHONE);
    const state = await stub(page, user, answers);
    oneByOne(page, state);
    await page.addInitScript(() => {
      const jumps: object[] = [];
      Object.assign(window, { jumps });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
            sources: { node: Node | null }[];
          };
          const who = (node: Node | null) =>
            node instanceof Element ? node.outerHTML.slice(0, 90) : (node?.textContent ?? '').slice(0, 40);
          if (!hadRecentInput) jumps.push({ value, of: sources.map(({ node }) => who(node)) });
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(path);
    await expect(page.getByRole('heading', { name: last })).toBeVisible();
    await page.waitForLoadState('networkidle');
    const jumps = await page.evaluate(
      () => Reflect.get(window, 'jumps') as { value: number; of: string[] }[],
    );
    const sum = jumps.reduce((all, { value }) => all + value, 0);
    expect(sum, JSON.stringify(jumps, null, 1)).toBeLessThanOrEqual(MOST);
  });
