/** Somebody comes by a trader's link and buys: the trader sees each step without a reload, down to the sale that a bonus came from. */
import { type Browser, expect, type Page } from '@playwright/test';
import {
  addressAndTerms,
  confirmationIn,
  demo,
  expectAccessible,
  hoursPass,
  newestMail,
  type Person,
  picture,
  reader,
  signIn,
  test,
  typeCode,
} from './kit';

async function live(page: Page, path: string) {
  await page.goto(path);
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
}

async function enter(browser: Browser, person: Person, path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, person);
  await live(page, path);
  return page;
}

/** By the link of a member, up to the page that waits for the address to be confirmed. */
async function register(page: Page, upline: string, name: string, { email, password }: Person) {
  await page.goto(`/ref/${upline}`);
  await expect(page.getByText(`(@${upline})`)).toBeVisible();
  await page.getByLabel('Nome completo').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Senha', exact: true }).fill(password);
  await page.getByRole('textbox', { name: 'Repita a senha' }).fill(password);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await addressAndTerms(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Confirme ${email}`);
}

/** From one member's balance to another's. */
async function give(from: Page, giver: Person, username: string, value: string) {
  hoursPass();
  await from.getByLabel('Para quem').fill(username);
  await from.getByRole('button', { name: new RegExp(`@${username}`) }).click();
  const written = value.replace('.', ',');
  await from.getByRole('textbox', { name: /^Valor/ }).fill(written);
  await from.getByRole('button', { name: 'Transferir' }).click();
  const dialog = from.getByRole('dialog', { name: 'Confirmar transferência' });
  await expect(dialog).toContainText(`@${username}`);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await expect(from.getByRole('dialog', { name: 'Código de segurança' })).toBeVisible();
  const mail = await newestMail(from, giver.email, new RegExp(`Destino: ${username}`));
  await typeCode(from, /\b\d{6}\b/.exec(mail.replace(written, ''))?.[0] ?? '');
  await expect(from.getByText(`Transferência a @${username} concluída.`).first()).toBeVisible();
}

test('who comes by a link and buys is seen by the sponsor, with the sale that the bonus came from', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(480_000);
  const stamp = Date.now().toString(36);
  const person = { email: `rede-${stamp}@arbora.example`, password: `cavalo-bateria-${stamp}-grampo` };

  // The sponsor looks at three screens.
  const references = await enter(browser, demo('trader1'), '/affiliate-network/direct-references');
  const bonuses = await references.context().newPage();
  await live(bonuses, '/affiliate-network/bonus-report');
  let reloads = 0;
  for (const page of [references, bonuses]) page.on('load', () => reloads++);

  // Somebody comes, beside them.
  const newcomer = await (await browser.newContext()).newPage();
  hoursPass();
  await register(newcomer, 'trader1', 'Rita Novaes', person);
  const mail = await newestMail(newcomer, person.email, /e-mail/i);
  await newcomer.goto(confirmationIn(mail));
  await newcomer.getByRole('button', { name: 'Confirmar meu e-mail' }).click();
  await expect(newcomer.getByText('E-mail confirmado')).toBeVisible();
  const api = await reader(baseURL ?? '', person);
  const { username } = (await api.get<{ user: { username: string } }>('/me')).user;
  const row = references.getByRole('row').filter({ hasText: `@${username}` });
  await expect(row).toContainText(/Esquerda|Direita/);
  await expectAccessible(references);
  await picture(references, 'network-references');

  // Money from another member, which is no young money, and a licence paid from it.
  const giver = await enter(browser, demo('trader2'), '/wallet/transfers');
  await live(newcomer, '/licences?tab=plans');
  await give(giver, demo('trader2'), username, '120.123456');
  const plan = newcomer
    .getByRole('article')
    .filter({ hasText: 'Padrão' })
    .filter({ has: newcomer.getByRole('heading', { name: /^50,00\sUSDT$/ }) })
    .first();
  await plan.getByRole('button', { name: 'Comprar licença' }).click();
  const dialog = newcomer.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByLabel('Li e aceito os riscos.').check();
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('button', { name: 'Pagar agora' }).click();
  await dialog.getByRole('button', { name: 'Concluir' }).click();
  await expect(dialog).toBeHidden();
  const card = newcomer.getByRole('article', { name: 'Licença 1', exact: true });
  for (const [action, value] of [
    ['Aportar', '60'],
    ['Alocar', '40'],
  ] as const) {
    await card.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Valor' }).fill(value);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('button', { name: 'Concluir' }).click();
    await expect(dialog).toBeHidden();
  }

  // With the first allocation the sale is final: the bonus is in the sponsor's report, and one click shows where it came from.
  const sale = bonuses
    .getByRole('row')
    .filter({ hasText: `@${username}` })
    .filter({ hasText: 'Venda direta' });
  await expect(sale).toBeVisible();
  await expectAccessible(bonuses);
  await picture(bonuses, 'network-bonuses');
  await sale.click();
  const drawer = bonuses.getByRole('dialog', { name: 'Bônus' });
  await expect(drawer).toContainText(
    new RegExp(`Venda definitiva de uma licença de 50,0+\\sUSDT a @${username}, seu indicado direto\\.`),
  );
  // By whom, by which rule.
  await expect(drawer.getByRole('listitem').filter({ hasText: `@${username}` })).toBeVisible();
  await expect(drawer).toContainText(/% × 50,0+\sUSDT = /);
  await picture(bonuses, 'network-origin');
  // What it says is what is booked: paid, or why not yet.
  const sponsor = await reader(baseURL ?? '', demo('trader1'));
  interface Bonus {
    source: string;
    kind: string;
    status: string;
    gross: string;
  }
  const { data } = await sponsor.get<{ data: Bonus[] }>('/affiliates/bonus-log?limit=100');
  const booked = data.find((bonus) => bonus.source === username && bonus.kind === 'direct_sale');
  expect(Number(booked?.gross)).toBeGreaterThan(0);
  const why = { young: /Livre a partir de/, in_review: /Motivo:/, deferred: /Faltam/ };
  const said = why[booked?.status as 'young'];
  if (said) await expect(sale).toContainText(said);
  else await expect(drawer.getByRole('heading', { name: 'Movimentos no livro' })).toBeVisible();
  expect(reloads).toBe(0);
  await Promise.all([api.close(), sponsor.close()]);
});
