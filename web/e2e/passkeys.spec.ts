/** A passkey from its making to the sign-in without a password, against the real server: the browser's own authenticator signs. */
import { expect } from '@playwright/test';
import { authenticator } from './authenticator';
import { demo, expectAccessible, mailAfter, signIn, signOut, tellDatabase, test, typeCode } from './kit';

// A demo on one machine makes passkeys for `localhost`: browsers take no address of the network for a site.
test.use({
  baseURL: (process.env.E2E_BASE_URL ?? 'http://127.0.0.1:8080').replace('127.0.0.1', 'localhost'),
});

test('a passkey is made, opens the second step and signs in by itself, and is taken off', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const person = demo('sales');
  // A former try's, whose device is gone.
  tellDatabase(
    `DELETE FROM identity.passkey p USING identity.account a WHERE a.id = p.account AND a.email_key = '${person.email}'`,
  );
  const device = await authenticator(page);
  await signIn(page, person);
  const code = async (act: () => Promise<void>) =>
    (await mailAfter(page, person.email, /\b\d{6}\b/, act)).match(/\b\d{6}\b/)?.[0] ?? '';

  await page.goto('/account-setting?tab=security');
  const card = page.getByRole('region', { name: 'Chaves de acesso' });
  await card.getByRole('button', { name: 'Adicionar chave' }).click();
  const adding = page.getByRole('dialog', { name: 'Adicionar chave de acesso' });
  await adding.getByRole('textbox', { name: 'Senha atual' }).fill(person.password);
  const first = await code(() => adding.getByRole('button', { name: 'Continuar' }).click());
  await typeCode(page, first);
  await adding.getByRole('textbox', { name: 'Nome' }).fill('Navegador');
  await adding.getByRole('button', { name: 'Criar no aparelho' }).click();
  const recovery = page.getByRole('dialog', { name: 'Guarde seus códigos de recuperação' });
  await recovery.getByLabel('Guardei os códigos').check();
  await recovery.getByRole('button', { name: 'Concluir' }).click();
  await expect(card.getByText('Navegador')).toBeVisible();
  await expect(page.getByText('Saques e transferências esperam')).toBeVisible();
  await expectAccessible(page);

  await signOut(page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Usar uma chave de acesso' }).click();
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeAttached();
  await page.goto('/account-setting?tab=security');
  await expect(page.getByText('com chave de acesso')).toBeVisible();

  await signOut(page);
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('textbox', { name: 'Senha' }).fill(person.password);
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await page.getByRole('button', { name: 'Usar a chave de acesso' }).click();
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeAttached();

  await page.goto('/account-setting?tab=security');
  await card.getByRole('button', { name: 'Remover Navegador' }).click();
  const removing = page.getByRole('dialog', { name: 'Remover Navegador' });
  await removing.getByRole('textbox', { name: 'Senha atual' }).fill(person.password);
  await removing.getByRole('button', { name: 'Continuar' }).click();
  // The passkey comes first: a code is mailed when it is wished for.
  await expect(removing.getByRole('button', { name: 'Usar a chave de acesso' })).toBeVisible();
  const last = await code(() =>
    removing.getByRole('button', { name: 'Receber um código por e-mail' }).click(),
  );
  await typeCode(page, last);
  await expect(card.getByText('Nenhuma chave de acesso')).toBeVisible();
  await signOut(page);
  await signIn(page, person);
  await device.end();
});
