/** The file with all that is kept about oneself: asked for, waited for, taken. */

import { expectAccessible, fits, picture, typeCode } from '../kit';
import { ACCOUNT, ASKED, EXPORTS } from './accountFixtures';
import { CUSTOMER, refuse, stub } from './stub';
import { expect, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };

test('one asks with a code, hears that it is ready, and takes it with another', async ({ page }) => {
  const bodies: unknown[] = [];
  const noted = (answer: (route: Route) => Promise<void>) => (route: Route) => {
    bodies.push(route.request().postDataJSON());
    return answer(route);
  };
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/export': { data: [], nextAt: null },
    'POST /security-code': noted((route) => route.fulfill({ json: { method: 'email' } })),
    'POST /me/export': noted((route) => route.fulfill({ json: ASKED })),
    [`POST /me/export/${EXPORTS.data[0]?._id}/download`]: noted((route) =>
      route.fulfill({
        body: 'PK',
        contentType: 'application/zip',
        headers: { 'Content-Disposition': 'attachment; filename="arbora-marina-2026-11-20.zip"' },
      }),
    ),
  });
  await page.goto('/account-setting?tab=privacy');
  const card = page.getByRole('region', { name: 'Meus dados' });
  await expect(card.getByText('Você ainda não pediu seus dados.')).toBeVisible();
  await picture(page, 'export-empty');
  await card.getByRole('button', { name: 'Pedir meus dados' }).click();
  await typeCode(page, '123456');
  await expect(card.getByText('preparando')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Pedir meus dados' })).toBeDisabled();
  // A fact brings it.
  state.answers['GET /me/export'] = EXPORTS;
  await state.fact(`user:${CUSTOMER._id}`, 1, {
    kind: 'data_export.changed',
    export: EXPORTS.data[0]?._id,
    state: 'ready',
  });
  await expect(card.getByText('pronto', { exact: true })).toBeVisible();
  await picture(page, 'export-ready');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page, 'export on a phone');
  await picture(page, 'export-phone');
  await expectAccessible(page, ['dark']);
  await card.getByRole('button', { name: 'Baixar' }).click();
  const come = page.waitForEvent('download');
  await typeCode(page, '654321');
  expect((await come).suggestedFilename()).toBe('arbora-marina-2026-11-20.zip');
  expect(bodies).toEqual([
    { purpose: 'export-data' },
    { securityCode: '123456' },
    { purpose: 'export-data' },
    { securityCode: '654321' },
  ]);
});

test('what fails says so and can be asked again', async ({ page }) => {
  const state = await stub(page, CUSTOMER, {
    ...ACCOUNT,
    'GET /me/export': refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.'),
  });
  await page.goto('/account-setting?tab=privacy');
  const card = page.getByRole('region', { name: 'Meus dados' });
  await expect(card.getByText('Não foi possível carregar os pedidos de dados.')).toBeVisible();
  await expectAccessible(page);
  await state.fromClick('GET /me/export', EXPORTS);
  await card.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect(card.getByRole('button', { name: 'Baixar' })).toBeVisible();
});
