/** A notice from the house to a browser that is pushed to: sealed for it alone, deciphered, and shown by the worker, against the real server. */
import { expect } from '@playwright/test';
import { demo, expectAccessible, signIn, test } from './kit';
import { endpoint, pusher, pushService, watched } from './pushes';

test('a browser chooses to be told, and what is handed over for it reaches its worker', async ({
  browser,
}) => {
  const service = await endpoint();
  const context = await browser.newContext({ serviceWorkers: 'allow' });
  const page = await context.newPage();
  await pushService(page, service.subscription);
  await signIn(page, demo('trader2'));
  await page.goto('/account-setting?tab=notifications');
  const card = page.getByRole('region', { name: 'Avisos com a Arbora fechada' });
  await card.getByRole('button', { name: 'Ativar neste navegador' }).click();
  await expect(card.getByText('este navegador', { exact: true })).toBeVisible();
  // What can be switched off can be pushed from now on.
  await expect(page.getByRole('columnheader', { name: 'Push' })).toBeVisible();
  await expectAccessible(page);

  // A former try's may be beside it.
  const own = card.getByRole('listitem').filter({ hasText: 'este navegador' });
  await own.getByRole('button', { name: /^Enviar um aviso de teste/ }).click();
  // What happens to this person meanwhile is pushed as well.
  const tried = () => service.messages.find(({ text }) => JSON.parse(text).tag === 'try');
  await expect.poll(() => tried() !== undefined, 'the service has the message').toBe(true);
  const message = tried();
  if (!message) throw new Error('no message');
  expect(message.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    authorization: expect.stringMatching(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, ?k=[\w-]+$/),
    ttl: expect.stringMatching(/^\d+$/),
  });
  const told = JSON.parse(message.text);
  expect(told).toMatchObject({ title: expect.any(String), text: expect.any(String), tag: 'try' });

  // As the browser gives it to the worker, deciphered.
  const { seen } = await watched(page);
  const { push, end } = await pusher(page);
  await push(message.text);
  await expect.poll(async () => (await seen()).shown).toHaveLength(1);
  const [notice] = (await seen()).shown;
  expect(notice).toMatchObject({ title: told.title, body: told.text, url: told.url });
  await end();

  await own.getByRole('button', { name: /^Remover / }).click();
  await expect(card.getByRole('button', { name: 'Ativar neste navegador' })).toBeVisible();
  await context.close();
  await service.close();
});
