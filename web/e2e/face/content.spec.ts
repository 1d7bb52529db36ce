/** The academy, material, sharing and the way to the external chat; and how staff keep content. */

import { expectAccessible, fits, picture } from '../kit';
import { ANSWERS, DRAFT, id, LESSONS, lesson, MATERIAL, STAFF, staffItem } from './contentFixtures';
import { AT_WORK, page as list } from './fixtures';
import { ADMINISTRATOR, CONFIG, CUSTOMER, refuse, stub } from './stub';
import { expect, test } from './window';

const PHONE = { width: 390, height: 844 };
const DOWN = refuse(500, 'service.internal', 'Algo deu errado. Tente de novo.');

for (const [name, path, title, rows, empty] of [
  ['academy', '/marketing/academy', 'Academia', LESSONS, 'Nenhuma aula publicada ainda.'],
  ['material', '/marketing/support-material', 'Materiais', MATERIAL, 'Nenhum material publicado ainda.'],
] as const)
  test(`screen: ${name}`, async ({ page }) => {
    const state = await stub(page, CUSTOMER, { ...AT_WORK, ...ANSWERS, 'GET /content': list([...rows]) });
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByRole('article')).toHaveCount(rows.length);
    await page.waitForLoadState('networkidle');
    await picture(page, `content-${name}-dark`);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await fits(page);
    await picture(page, `content-${name}-phone`);
    await expectAccessible(page, ['dark']);
    state.answers['GET /content'] = DOWN;
    await page.reload();
    await expect(page.getByRole('button', { name: 'Tentar de novo' }).first()).toBeVisible();
    state.answers['GET /content'] = list([]);
    await page.reload();
    await expect(page.getByText(empty)).toBeVisible();
    await expectAccessible(page, ['dark']);
  });

test('a lesson is read, finished and begun again, by keyboard too', async ({ page }) => {
  const { calls, answers } = await stub(page, CUSTOMER, {
    ...AT_WORK,
    ...ANSWERS,
    [`POST /content/${id(1)}/progress`]: { seconds: 0, done: true },
  });
  await page.goto('/marketing/academy');
  const card = page.getByRole('button', { name: 'Como funciona a arbitragem 1' });
  await card.focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('heading', { name: 'Por quê' })).toBeVisible();
  await expect(drawer.getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page);
  await picture(page, 'content-lesson');
  answers[`GET /content/${id(1)}`] = lesson(1, { progress: { seconds: 0, done: true } });
  await drawer.getByRole('button', { name: 'Marcar como concluída' }).click();
  await expect(drawer.getByRole('button', { name: 'Fazer de novo' })).toBeVisible();
  expect(calls).toContain(`POST /content/${id(1)}/progress`);
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
});

test('a lesson that is gone says so', async ({ page }) => {
  await stub(page, CUSTOMER, {
    ...AT_WORK,
    ...ANSWERS,
    [`GET /content/${id(9)}`]: refuse(404, 'request.not_found', 'Não encontrado.'),
  });
  await page.goto(`/marketing/academy?item=${id(9)}`);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Não encontrado.');
});

test('the link, its code and a card in each language and format', async ({ page }) => {
  await stub(page, CUSTOMER, AT_WORK);
  await page.goto('/marketing/share');
  await expect(page.getByTestId('qr-text')).toHaveValue(/\/ref\/marinaduarte48201$/);
  await expect(page.getByText('nenhum ganho é garantido')).toBeVisible();
  const card = page.getByRole('img', { name: /^Prévia do cartão/ });
  await expect(card).toBeVisible();
  await page.waitForLoadState('networkidle');
  await picture(page, 'content-share-dark');
  await expectAccessible(page);
  const size = () => card.evaluate((canvas: HTMLCanvasElement) => [canvas.width, canvas.height]);
  expect(await size()).toEqual([1080, 1080]);
  await page.getByText('Vertical 9:16').click();
  await expect.poll(size).toEqual([1080, 1920]);
  await page.getByRole('main').getByText('English', { exact: true }).click();
  await expect(page.getByRole('img', { name: /Crypto arbitrage, in the open/ })).toBeVisible();
  await page.getByRole('switch', { name: /resultado dos últimos 30 dias/ }).click();
  await page.waitForLoadState('networkidle');
  await picture(page, 'content-share-result');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar imagem' }).click();
  expect((await saved).suggestedFilename()).toBe('arbora-en-story.png');
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'content-share-phone');
  await expectAccessible(page, ['dark']);
});

test('the external chat opens in a tab of its own; a house without one leads to the tickets', async ({
  page,
}) => {
  const config = { ...CONFIG, whatsapp: 'https://wa.me/5511912345678' };
  const { answers } = await stub(page, CUSTOMER, { ...AT_WORK, 'GET /config': config });
  const context = page.context();
  await context.route('https://wa.me/**', (route) => route.fulfill({ body: 'chat' }));
  const tab = context.waitForEvent('page');
  await page.goto('/support-whatsapp');
  // By itself, and once; it knows nothing of where it came from.
  const chat = await tab;
  await chat.waitForURL(config.whatsapp);
  expect(await chat.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
  expect(context.pages()).toHaveLength(2);
  await chat.close();
  await expect(page.getByText('Se nada abriu')).toBeVisible();
  const go = page.getByRole('link', { name: 'Abrir o WhatsApp' });
  await expect(go).toHaveAttribute('href', config.whatsapp);
  await expect(go).toHaveAttribute('target', '_blank');
  await expect(go).toHaveAttribute('rel', 'noreferrer');
  await picture(page, 'content-whatsapp');
  await expectAccessible(page);
  answers['GET /config'] = { ...config, whatsapp: 'https://evil.example/5511912345678' };
  await page.reload();
  await expect(page.getByText('O WhatsApp do suporte não está disponível')).toBeVisible();
  answers['GET /config'] = { ...config, whatsapp: null };
  await page.reload();
  await expect(page.getByRole('link', { name: 'Abrir os chamados' })).toHaveAttribute('href', '/support');
  await expect(go).toHaveCount(0);
  expect(context.pages()).toHaveLength(1);
  await context.unroute('https://wa.me/**');
  await page.setViewportSize(PHONE);
  await fits(page);
  await expectAccessible(page, ['dark']);
});

test('screen: content for staff', async ({ page }) => {
  const state = await stub(page, ADMINISTRATOR, STAFF);
  await page.goto('/administrator/content');
  await expect(page.getByRole('row', { name: /Rascunho novo/ })).toContainText('Rascunho');
  await page.waitForLoadState('networkidle');
  await picture(page, 'content-staff-dark');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await fits(page);
  await picture(page, 'content-staff-phone');
  await expectAccessible(page, ['dark']);
  state.answers['GET /admin/content'] = list([]);
  await page.reload();
  await expect(page.getByText('Nenhum conteúdo ainda.')).toBeVisible();
});

test('staff write a draft, attach a file, publish and delete', async ({ page }) => {
  const { calls, answers } = await stub(page, ADMINISTRATOR, {
    ...STAFF,
    'POST /admin/content': DRAFT,
    [`POST /admin/content/${id(7)}/file`]: DRAFT,
    [`PATCH /admin/content/${id(7)}`]: staffItem(7),
    [`DELETE /admin/content/${id(7)}`]: null,
  });
  await page.goto('/administrator/content');
  await page.getByRole('button', { name: 'Novo conteúdo' }).click();
  const drawer = page.getByRole('dialog').first();
  const save = drawer.getByRole('button', { name: 'Salvar rascunho' });
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await drawer.getByRole('textbox', { name: 'Título' }).fill('Rascunho novo');
  await expectAccessible(page);
  await picture(page, 'content-staff-form');
  await save.click();
  // It is a draft now, and has nothing to read yet.
  const publish = drawer.getByRole('button', { name: 'Publicar' });
  await expect(publish).toHaveAttribute('aria-disabled', 'true');
  await drawer.getByRole('tab', { name: 'Arquivos' }).click();
  await drawer
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'folheto.png',
      mimeType: 'image/png',
      buffer: Buffer.from('89504e470d0a1a0a', 'hex'),
    });
  const full = staffItem(7, { title: 'Rascunho novo', status: 'draft', published_at: null, version: 4 });
  answers[`GET /admin/content/${id(7)}`] = full;
  await drawer.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(publish).not.toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page, ['dark']);
  await drawer.getByRole('tab', { name: 'Prévia' }).click();
  await expect(drawer.getByRole('heading', { name: 'Por quê' })).toBeVisible();
  answers[`GET /admin/content/${id(7)}`] = staffItem(7, { title: 'Rascunho novo', version: 5 });
  await publish.click();
  await expect(drawer.getByRole('button', { name: 'Voltar a rascunho' })).toBeVisible();
  await drawer.getByRole('button', { name: 'Excluir', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Excluir conteúdo' });
  await expect(question.getByRole('button', { name: 'Cancelar' })).toBeFocused();
  await question.getByRole('button', { name: 'Excluir' }).click();
  await expect(question).toBeHidden();
  for (const call of [
    'POST /admin/content',
    `PATCH /admin/content/${id(7)}`,
    `DELETE /admin/content/${id(7)}`,
  ])
    expect(calls).toContain(call);
});
