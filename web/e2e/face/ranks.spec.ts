/** How near somebody is to a rank, on every screen that says it, after a closing that gave none. */

import { GRADUATION, MEMBERS, NETWORK, OWN_RANKS, RANKED } from './affiliatesFixtures';
import { PAID_BY } from './analyticsFixtures';
import { ADMINISTRATOR, stub } from './stub';
import { expect, test } from './window';

test("staff's list follows a closing that brought no rank", async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, {
    'GET /admin/graduation': GRADUATION,
    'GET /admin/graduations': MEMBERS,
  });
  await page.goto('/graduations');
  const row = page.getByRole('row', { name: /@diego44/ });
  await expect(row).toContainText('faltam 50');
  state.answers['GET /admin/graduations'] = {
    ...MEMBERS,
    data: MEMBERS.data.map((one) => ({ ...one, next: one.next && { ...one.next, missing: '20.000000' } })),
  };
  await state.fact('queue:graduation-bonuses', 1, { kind: 'ranks.reached', count: 0 });
  await expect(row).toContainText('faltam 20');
});

test('the ring follows points whose bonus came to nothing', async ({ page }) => {
  const state = await stub(page, RANKED, {
    'GET /affiliates/dashboard': NETWORK,
    'GET /affiliates/graduations': OWN_RANKS,
    'GET /dashboard/paid-by': PAID_BY,
  });
  await page.goto('/affiliate-network/dashboard');
  const card = page.getByRole('region', { name: 'Próxima graduação' });
  await expect(card).toContainText('5.400 de 20.000 pontos');
  const me = state.answers['GET /me'] as { places: object[] };
  const next = { ...RANKED.nextGraduationInfo, points: '5650.000000', progress: 28 };
  state.answers['GET /me'] = { ...me, user: { ...RANKED, nextGraduationInfo: next } };
  await state.fact(`user:${RANKED._id}`, 1, { kind: 'user.changed', reason: 'network' });
  await expect(card).toContainText('5.650 de 20.000 pontos');
});
