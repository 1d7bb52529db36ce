/** What a bonus comes from, sale by sale and robot by robot. */

import { expectAccessible, fits, picture } from '../kit';
import {
  BEFORE,
  BONUS_LOG,
  BONUS_REPORT,
  bonusPath,
  DEEP,
  MATCHED,
  NO_SALES,
  RESULTS,
  sales,
} from './affiliatesBonusFixtures';
import { RANKED, TREE } from './affiliatesFixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const ID = MATCHED.bonus._id;
const SALES = `${bonusPath(MATCHED)}/sales`;
const leg = (page: Page, name: string) => page.getByRole('dialog').getByRole('region', { name, exact: true });

test('the sales of each leg: what was left, what came, page by page, with the way to each', async ({
  page,
}) => {
  const member = TREE.nodes[1]?._id ?? '';
  const state = await stub(page, RANKED, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    [bonusPath(MATCHED)]: MATCHED,
    [SALES]: sales(false),
    [`${bonusPath(MATCHED)}/path/${member}`]: DOWN,
    'GET /affiliates/diagram-binary-tree/me': TREE,
    [`GET /affiliates/diagram-binary-tree/${member}`]: TREE,
  });
  await page.goto(`/affiliate-network/bonus-report?bonus=${ID}`);
  const left = leg(page, 'Esquerda');
  await expect(left.getByRole('heading')).toHaveText('Esquerda: 1.200 pontos');
  await expect(left).toContainText(
    'Ficaram do fechamento de 12/11/2026: 700. Vendas menos estornos desde então: 500.',
  );
  await expect(left).toContainText('500 foram casados e 700 ficam para o próximo fechamento.');
  await expect(left).toContainText('não se pode dizer');
  const rows = left.getByRole('listitem').filter({ has: page.getByRole('button') });
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText('@ana21');
  await expect(rows.nth(0)).toContainText('600 pts');
  await expect(rows.nth(1)).toContainText('venda estornada');
  await expect(rows.nth(1)).toContainText('-200 pts');
  await expect(left).not.toContainText('Licença');
  const right = leg(page, 'Direita');
  await expect(right).toContainText('Ficaram do fechamento de 12/11/2026: 0.');
  await expect(right).toContainText('Todos foram casados.');
  await expect(right.getByRole('button', { name: 'Mostrar mais' })).toHaveCount(0);
  await expectAccessible(page);
  await picture(page, 'bonus-sales');

  // A page may bring none, and says how far it looked.
  await expect(left).toContainText('Verificadas as vendas desde 16/11/2026.');
  await left.getByRole('button', { name: 'Mostrar mais' }).click();
  await expect(left).toContainText('Verificadas as vendas desde 14/11/2026.');
  await expect(rows).toHaveCount(2);
  await expect(left.getByRole('button', { name: 'Mostrar mais' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(3);
  await expect(left.getByRole('button', { name: 'Mostrar mais' })).toHaveCount(0);
  // The button went with the last page: one reads on at the first row that came.
  await expect(rows.nth(2)).toBeFocused();

  // The way to a seller is asked for when it is opened.
  const way = rows.nth(0).getByRole('button', { name: 'Caminho até @ana21' });
  expect(state.calls.some((call) => call.includes('/path/'))).toBe(false);
  await way.click();
  await expect(rows.nth(0)).toContainText('Não foi possível carregar este caminho');
  await state.fromClick(`${bonusPath(MATCHED)}/path/${member}`, DEEP);
  await rows.nth(0).getByRole('button', { name: 'Tentar de novo' }).click();
  const path = left.getByRole('list', { name: 'Caminho na árvore binária, de quem recebe até quem comprou' });
  await expect(path.getByRole('listitem')).toHaveText([
    ...DEEP.path.map((name) => `@${name}`),
    'mais 1.240 pessoas',
    ...DEEP.last.map((name) => `@${name}`),
  ]);
  await page.setViewportSize(PHONE);
  await fits(page);
  await expectAccessible(page, ['dark']);
  await picture(page, 'bonus-sales-phone');

  // One click leads to who bought.
  await left.getByRole('link', { name: '@ana21', exact: true }).first().click();
  await expect(page).toHaveURL(new RegExp(`/affiliate-network/binary-tree\\?at=${member}`));
});

test('a leg without sales, one that cannot be loaded, and the match before', async ({ page }) => {
  const state = await stub(page, RANKED, {
    'GET /affiliates/bonus-log': BONUS_LOG,
    [bonusPath(MATCHED)]: MATCHED,
    [bonusPath(BEFORE)]: BEFORE,
    [SALES]: DOWN,
    [`${bonusPath(BEFORE)}/sales`]: NO_SALES,
  });
  await page.goto(`/affiliate-network/bonus-report?bonus=${ID}`);
  const left = leg(page, 'Esquerda');
  await expect(left).toContainText('Não foi possível carregar as vendas desta perna');
  await expectAccessible(page);
  await state.fromClick(SALES, NO_SALES);
  await left.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(left).toContainText('Nenhuma venda desde então.');
  // What was left is of sales before: the bonus of then shows them.
  await left.getByRole('button', { name: 'Ver o bônus de então' }).click();
  await expect(page).toHaveURL(new RegExp(`bonus=${BEFORE.bonus._id}`));
  await expect(left).toContainText('é a primeira vez que as duas pernas têm pontos');
  await expect(left.getByRole('button', { name: 'Ver o bônus de então' })).toHaveCount(0);
});

test('staff see the licences that were sold, and what each robot brought', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/bonus-report': BONUS_REPORT,
    [bonusPath(MATCHED, true)]: MATCHED,
    [bonusPath(RESULTS, true)]: RESULTS,
    [`${bonusPath(MATCHED, true)}/sales`]: sales(true),
  });
  await page.goto(`/bonus-report?bonus=${ID}`);
  const right = leg(page, 'Direita');
  const seller = right.getByRole('link', { name: '@bruno7' });
  await expect(seller).toHaveAttribute('href', /\/administrator\/users\/view\//);
  await expect(right.getByRole('link', { name: 'Licença #2' })).toHaveAttribute('href', /\?tab=licences$/);
  expect(state.calls.some((call) => call.includes('/affiliates/bonus-log'))).toBe(false);
  await expectAccessible(page);
  await page.goto(`/bonus-report?bonus=${RESULTS.bonus._id}`);
  const drawer = page.getByRole('dialog', { name: 'Bônus' });
  const robots = drawer.getByRole('list', { name: 'Resultado do dia por robô' }).getByRole('listitem');
  await expect(robots).toHaveCount(2);
  await expect(robots.nth(0)).toContainText('Licença #1');
  await expect(robots.nth(0)).toContainText('31 operações');
  await expect(robots.nth(0)).toContainText('+19,40');
  await expect(drawer).toContainText('Perdas de dias anteriores, abatidas');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'bonus-robots-phone');
});
