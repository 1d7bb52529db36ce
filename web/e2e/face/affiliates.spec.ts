/** The network: tree, referrals, dashboard and reports, each with data, without and failing. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { BONUS_LOG, BONUS_REPORT, NO_BONUS, NO_PAYOUT, PAYOUT } from './affiliatesBonusFixtures';
import {
  ALONE,
  BELOW,
  GRADUATION,
  LOST_POINTS,
  LOWEST,
  MEMBERS,
  NETWORK,
  NOBODY,
  OWN_RANKS,
  RANKED,
  REFERENCES,
  TREE,
  WHOLE,
} from './affiliatesFixtures';
import { PAID_BY } from './analyticsFixtures';
import { AT_WORK, page as list } from './fixtures';
import { ADMINISTRATOR, refuse, stub } from './stub';
import { afterPauses, idle, walk } from './walk';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 1000 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');
const tree = (of: string) => `GET /affiliates/diagram-binary-tree/${of}`;
const NONE = { ...list([]), totals: [], metrics: [], days: [] };

const SCREENS = [
  [
    'tree',
    '/affiliate-network/binary-tree',
    RANKED,
    tree('me'),
    TREE,
    '@ana21',
    ALONE,
    'Sua rede começa aqui.',
  ],
  [
    'references',
    '/affiliate-network/direct-references',
    RANKED,
    'GET /affiliates/reference-list',
    REFERENCES,
    '@ana21',
    list([]),
    'Nenhum indicado ainda.',
  ],
  [
    'network',
    '/affiliate-network/dashboard',
    RANKED,
    'GET /affiliates/dashboard',
    NETWORK,
    'Rumo a Ouro',
    NOBODY,
    'Sua rede começa aqui.',
  ],
  [
    'bonus',
    '/affiliate-network/bonus-report',
    RANKED,
    'GET /affiliates/bonus-log',
    BONUS_LOG,
    'Na fila do fundo',
    NO_BONUS,
    'Nenhum bônus ainda.',
  ],
  [
    'staff-bonus',
    '/bonus-report',
    ADMINISTRATOR,
    'GET /admin/bonus-report',
    BONUS_REPORT,
    'Na fila do fundo',
    NONE,
    'Nenhum bônus ainda.',
  ],
  [
    'staff-payout',
    '/payout-report',
    ADMINISTRATOR,
    'GET /admin/payout-report',
    PAYOUT,
    'acima do teto de 75,00%',
    NO_PAYOUT,
    'Nem receita nem bônus no período.',
  ],
  [
    'staff-binary',
    '/binary-report',
    ADMINISTRATOR,
    'GET /admin/binary-lost-points-report',
    LOST_POINTS,
    'Ana Prado',
    NONE,
    'Nenhum ponto perdido.',
  ],
  [
    'staff-graduations',
    '/graduation-list',
    ADMINISTRATOR,
    'GET /admin/graduation',
    GRADUATION,
    'Ana Prado',
    NONE,
    'Nenhuma graduação ainda.',
  ],
  [
    'staff-ranks',
    '/graduations',
    ADMINISTRATOR,
    'GET /admin/graduations',
    MEMBERS,
    'Ana Prado',
    NONE,
    'Ninguém com pontos pagos ainda.',
  ],
] as const;

for (const [who, user] of [
  ['a member', RANKED],
  ['staff', ADMINISTRATOR],
] as const)
  test(`${who}: each screen with data, failing, and empty`, async ({ page }) => {
    test.slow();
    const state = await stub(page, user, {
      'GET /dashboard/paid-by': PAID_BY,
      'GET /admin/graduation': GRADUATION,
      'GET /affiliates/graduations': OWN_RANKS,
    });
    const answers = { ...state.answers };
    const again = page.getByRole('button', { name: 'Tentar de novo' }).first();
    for (const [name, path, , call, data, seen, empty, emptyText] of SCREENS.filter(
      (screen) => screen[2] === user,
    ))
      await test.step(name, async () => {
        state.answers = { ...answers, [call]: data };
        const there = page.locator('#content').getByText(seen, { exact: false }).first();
        await page.setViewportSize(DESK);
        await walk(page, path);
        await expect(there).toBeVisible();
        await idle(page);
        await picture(page, `affiliates-${name}-dark`);
        await expectAccessible(page);
        await wear(page, 'light');
        await picture(page, `affiliates-${name}-light`);
        await wear(page, 'dark');
        // A phone's screen begins as a phone's.
        await page.setViewportSize(PHONE);
        await walk(page, path);
        await expect(there).toBeVisible();
        await fits(page);
        await picture(page, `affiliates-${name}-phone`);
        await expectAccessible(page, ['dark']);
        state.answers[call] = DOWN;
        await walk(page, path);
        await afterPauses(page, again, `${name} says that it failed`);
        await state.fromClick(call, empty);
        await again.click();
        await expect(page.getByText(emptyText, { exact: false }).first()).toBeVisible();
        await picture(page, `affiliates-${name}-empty`);
      });
  });

test('the tree by keyboard: arrows from member to member, further down when asked', async ({ page }) => {
  const { calls } = await stub(page, RANKED, { [tree('me')]: TREE, [tree(LOWEST)]: BELOW });
  await page.goto('/affiliate-network/binary-tree');
  const member = (name: string) => page.getByRole('button', { name: new RegExp(`^@${name},`) });
  await member('marinaduarte48201').focus();
  await page.keyboard.press('ArrowDown');
  await expect(member('ana21')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(member('bruno7')).toBeFocused();
  await page.keyboard.press('Enter');
  const card = page.locator('[data-member="bruno7"]');
  await expect(card).toContainText('Sem indicado direto ativo na direita');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(member('hugo81')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(member('karen18')).toBeAttached();
  expect(calls).toContain(tree(LOWEST));
  await page.keyboard.press('ArrowDown');
  await expect(member('karen18')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(member('marinaduarte48201')).toBeFocused();
  await expectAccessible(page, ['dark']);
});

test('a member is found, looked at from there, and left by going up', async ({ page }) => {
  const up = TREE.nodes[4]?._id ?? '';
  await stub(page, RANKED, {
    [tree('me')]: TREE,
    [tree('hugo81')]: BELOW,
    [tree(LOWEST)]: BELOW,
    [tree(up)]: { ...TREE, up: null, nodes: [TREE.nodes[4]] },
    [tree('ninguem')]: refuse(404, 'user.unknown', 'Usuário não encontrado.'),
  });
  await page.goto('/affiliate-network/binary-tree');
  const find = page.getByRole('textbox', { name: 'Buscar membro' });
  await find.fill('ninguem');
  await find.press('Enter');
  await expect(page.getByText('Ninguém com este usuário na sua rede.')).toBeVisible();
  await expectAccessible(page, ['dark']);
  await find.fill('@hugo81');
  await find.press('Enter');
  await expect(page).toHaveURL(new RegExp(`at=${LOWEST}`));
  await expect(page.locator('[data-member="hugo81"]')).toBeVisible();
  await page.getByRole('button', { name: 'Subir um nível' }).click();
  await expect(page).toHaveURL(new RegExp(`at=${up}`));
  await page.getByRole('button', { name: 'Voltar ao meu lugar' }).click();
  await expect(page).not.toHaveURL(/at=/);
});

test('the leg of newcomers is switched; what the server refuses is said', async ({ page }) => {
  const leg = 'PATCH /affiliates/binary-tree/save-selected-leg';
  const state = await stub(page, RANKED, { [tree('me')]: TREE, [leg]: { selectedLeg: 'right' } });
  await page.goto('/affiliate-network/binary-tree');
  const legs = page.getByRole('radiogroup', { name: 'Novos cadastros' });
  await legs.getByText('Direita').click();
  await expect(
    page.getByTestId('toast').getByText('Novos cadastros entram pela perna: Direita.'),
  ).toBeVisible();
  await expect(legs.getByRole('radio', { name: 'Direita' })).toBeChecked();
  state.answers[leg] = refuse(409, 'request.conflict', 'Isto não é possível agora.');
  await legs.getByText('Esquerda').click();
  await expect(page.getByTestId('toast').getByText('Isto não é possível agora.')).toBeVisible();
  await expect(legs.getByRole('radio', { name: 'Direita' })).toBeChecked();
});

test('the whole of one answer is drawn; the same as a list on a phone', async ({ page }) => {
  await stub(page, RANKED, { [tree('me')]: WHOLE });
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByRole('button', { name: /^@/ })).toHaveCount(127);
  await picture(page, 'affiliates-tree-whole');
  await page.setViewportSize(PHONE);
  await page.reload();
  const rows = page.getByRole('list', { name: 'Membros da árvore' });
  await expect(rows.getByRole('listitem')).toHaveCount(127);
  await rows.getByRole('button', { name: 'Recolher abaixo de @marinaduarte48201' }).click();
  await expect(rows.getByRole('listitem')).toHaveCount(1);
  await rows.getByRole('button', { name: /^Nível 0/ }).click();
  await expect(page.getByRole('dialog')).toContainText('Bônus binário ativo');
  await picture(page, 'affiliates-tree-phone-member');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByText('Árvore', { exact: true }).click();
  await expect(page.getByRole('button', { name: /^@marina/ })).toBeVisible();
  await fits(page);
  await expectAccessible(page, ['dark']);
  await picture(page, 'affiliates-tree-phone-drawn');
});

test('one drills down by the rows and comes back by the path', async ({ page }) => {
  const asked: string[] = [];
  await stub(page, RANKED, {
    'GET /affiliates/reference-list': (route: Route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: REFERENCES });
    },
  });
  await page.goto('/affiliate-network/direct-references');
  await page.getByRole('row', { name: /@bruno7/ }).click();
  const path = page.getByRole('navigation', { name: 'Caminho' });
  await expect(path.getByText('@bruno7')).toBeVisible();
  await expect.poll(() => asked.at(-1)).toContain(`affiliateId=${REFERENCES.data[1]?._id}`);
  expect(asked.at(-1)).toContain('limit=50');
  await page.getByRole('combobox', { name: 'Nível' }).click();
  await page.getByRole('option', { name: '3', exact: true }).click();
  await expect.poll(() => asked.at(-1)).toContain('level=3');
  await expectAccessible(page, ['dark']);
  await picture(page, 'affiliates-references-path');
  await path.getByRole('button', { name: 'Meus indicados' }).click();
  await expect(page).not.toHaveURL(/path=|depth=/);
  await expect(path.getByText('@bruno7')).toHaveCount(0);
});

test('what is only asked every minute says so instead of calling itself live', async ({ page }) => {
  await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/diagram-binary-tree/me': TREE,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const tonight = page.locator('section[aria-labelledby="tonight"]');
  await expect(tonight).toContainText('Atualizada a cada minuto.');
  await expect(tonight.getByText('Ao vivo')).toHaveCount(0);
  // Nor does the page itself, where the header of the shell has no room for the connection's state and a page that is told of facts shows it.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText('Equipe atualizada a cada minuto, seus bônus na hora')).toBeVisible();
  await expect(page.getByRole('main').getByText('Ao vivo')).toHaveCount(0);
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByText(/ · Atualizada a cada minuto$/)).toBeVisible();
  await expect(page.getByRole('main').getByText('Ao vivo')).toHaveCount(0);
});

test('the preview of the closing names the residual bonus, and what of it would be lost', async ({
  page,
}) => {
  await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const residual = page
    .locator('section[aria-labelledby="tonight"] dl > div')
    .filter({ hasText: 'Residual' });
  await expect(residual).toContainText('4,25');
  await expect(residual).toContainText('perde 1,50 USDT: ');
});

test('a preview that runs behind says until when it counts, also where nothing of it is counted yet', async ({
  page,
}) => {
  const tonight = {
    ...NOBODY.tonight,
    binaryActive: true,
    binaryNeeds: [],
    residualAsOf: '2026-11-24T17:05:32Z' as string | null,
  };
  await stub(page, RANKED, {
    'GET /affiliates/dashboard': { ...NETWORK, tonight },
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const residual = page
    .locator('section[aria-labelledby="tonight"] dl > div')
    .filter({ hasText: 'Residual' });
  await expect(residual).toContainText('resultados até 14:05:32');
});

test('a leg shows what the closing left there, and what stands there now', async ({ page }) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  await page.getByRole('button', { name: /^@ana21,/ }).press('Enter');
  const card = page.locator('[data-member="ana21"]');
  await expect(card).toContainText('agora 185');
  await expect(card.getByText(/^agora /)).toHaveCount(1);
  // Who is paid for a sale has its points as well.
  const [me, ana, ...others] = TREE.nodes;
  state.answers[tree('me')] = { ...TREE, nodes: [me, { ...ana, rightNow: '285.000000' }, ...others] };
  await state.fact(`user:${RANKED._id}`, 1, { kind: 'bonus.changed', bonus: BONUS_LOG.data[1] });
  await expect(card).toContainText('agora 285');
});

test('who comes far below stands in the tree within a minute, though nobody is told of it', async ({
  page,
}) => {
  const state = await stub(page, RANKED, { [tree('me')]: TREE });
  await page.goto('/affiliate-network/binary-tree');
  await expect(page.getByRole('button', { name: /^@ana21,/ })).toBeVisible();
  const [, , , , , above, , , , below] = TREE.nodes;
  const come = {
    ...below,
    _id: '01900000-0000-7000-8000-000000000077',
    username: 'novo77',
    parent: above?._id,
  };
  state.answers[tree('me')] = { ...TREE, nodes: [...TREE.nodes, come] };
  await page.clock.fastForward(61_000);
  await expect(page.getByRole('button', { name: /^@novo77,/ })).toBeVisible();
});

test('the binary team stands on the first screen: its place is kept while it comes', async ({ page }) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await stub(page, RANKED, {
    ...AT_WORK,
    'GET /affiliates/dashboard': async (route: Route) => {
      await asked;
      await route.fulfill({ json: NETWORK });
    },
  });
  await page.goto('/');
  await expect(page.getByTestId('binary-team-loading')).toBeVisible();
  answer();
  await expect(page.getByTestId('binary-team-loading')).toHaveCount(0);
  const team = page.getByRole('region', { name: 'Equipe binária' });
  await expect(team).toContainText('128 membros');
  await expect(team).toContainText('30,00');
  await expectAccessible(page);
  await picture(page, 'affiliates-home');
});
