/** A message in support while one looks elsewhere, in the built face: in the window's title always, by a tone and by the browser's own notice where that was
 *  chosen in this browser. */

import { everywhere, expectAccessible } from '../kit';
import { ACCOUNT } from './accountFixtures';
import { ago, HOUR, JUST_NOW } from './clock';
import { CUSTOMER, stub } from './stub';
import { AGENT, ANSWERS, BIA, desk, T, taken, ticket } from './supportFixtures';
import { expect, type Page, test } from './window';

interface Browser {
  asked: number;
  shown: { title: string; body: string | null }[];
  notes: number;
}

interface Choice {
  sound?: boolean;
  banner?: boolean;
  words?: boolean;
}

/** A browser that notes what it is asked for and told; runs in the page, before its own program. */
async function watched(page: Page, permission: NotificationPermission, choice: Choice | null = null) {
  await page.addInitScript(
    ([permission, choice]) => {
      const seen: Browser = { asked: 0, shown: [], notes: 0 };
      let now = permission;
      class Notice {
        static get permission() {
          return now;
        }
        static requestPermission() {
          seen.asked += 1;
          now = 'granted';
          return Promise.resolve(now);
        }
        onclick: (() => void) | null = null;
        constructor(title: string, options: NotificationOptions) {
          seen.shown.push({ title, body: options.body ?? null });
        }
        close() {}
      }
      const node = { connect: (): unknown => node, frequency: { value: 0 }, start() {}, stop() {} };
      class Sound {
        currentTime = 0;
        destination = {};
        resume() {
          return Promise.resolve();
        }
        createOscillator() {
          seen.notes += 1;
          return node;
        }
        createGain() {
          return {
            connect: () => node,
            gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
          };
        }
      }
      Object.assign(window, { Notification: Notice, AudioContext: Sound, seen });
      const kept = { sound: false, banner: false, words: false, muted: [], ...choice };
      if (choice !== null) localStorage.setItem('arbora-alerts', JSON.stringify({ state: kept, version: 0 }));
    },
    [permission, choice] as const,
  );
  return {
    seen: () => page.evaluate(() => (window as unknown as { seen: Browser }).seen),
    hide: () =>
      page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: true });
      }),
  };
}

const answered = (more: object = {}) =>
  ticket({ lastNumber: 7, version: 10, lastMessageAt: JUST_NOW, lastMessage: 'Já foi aprovado.', ...more });
const told = (more: object = {}) => ({ kind: 'ticket.activity', ticket: answered(more) });

test('nothing is asked for or on before it is chosen, by a button', async ({ page }) => {
  const browser = await watched(page, 'default');
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto('/account-setting?tab=notifications');
  const card = page.getByRole('region', { name: 'Conversas do suporte' });
  await expect(card.getByRole('switch', { name: 'Som curto' })).not.toBeChecked();
  expect((await browser.seen()).asked).toBe(0);
  await everywhere(page, 'account-alerts');
  await card.getByRole('button', { name: 'Permitir avisos' }).click();
  await expect(card.getByRole('switch', { name: /^Aviso do navegador/ })).toBeChecked();
  // Not the words: those are another choice.
  await expect(card.getByRole('switch', { name: 'Mostrar o texto da mensagem' })).not.toBeChecked();
  await card.getByRole('button', { name: 'Ouvir' }).click();
  await expect.poll(async () => (await browser.seen()).notes).toBe(2);
  expect((await browser.seen()).asked).toBe(1);
  await expectAccessible(page);
  // Kept by this browser.
  await card.getByRole('switch', { name: 'Som curto' }).check({ force: true });
  await page.reload();
  await expect(card.getByRole('switch', { name: 'Som curto' })).toBeChecked();
});

test('what the browser refuses is said, and cannot be chosen', async ({ page }) => {
  await watched(page, 'denied', { banner: true });
  await stub(page, CUSTOMER, ACCOUNT);
  await page.goto('/account-setting?tab=notifications');
  const card = page.getByRole('region', { name: 'Conversas do suporte' });
  await expect(card.getByRole('switch', { name: /^Aviso do navegador/ })).toBeDisabled();
  await expect(card.getByRole('switch', { name: /^Aviso do navegador/ })).not.toBeChecked();
  await expect(card.getByText('O navegador bloqueou os avisos desta página')).toBeVisible();
  await expectAccessible(page);
});

test('an answer is told to who does not see the page, without its words', async ({ page }) => {
  const browser = await watched(page, 'granted', { sound: true, banner: true });
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto('/support');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  await browser.hide();
  await state.fact(`user:${CUSTOMER._id}`, 1, told());
  await expect
    .poll(async () => (await browser.seen()).shown)
    .toEqual([{ title: 'Nova resposta no chamado nº 41', body: null }]);
  expect((await browser.seen()).notes).toBe(2);
  await expect(page).toHaveTitle(/^\(\d+\) /);
  // A read mark is no message, nor is what is told of long ago.
  await state.fact(`user:${CUSTOMER._id}`, 2, told({ readByStaff: 7, version: 11 }));
  await state.fact(
    `user:${CUSTOMER._id}`,
    3,
    told({ lastNumber: 8, version: 12, lastMessageAt: ago(5 * HOUR) }),
  );
  await expect(page.getByRole('row').filter({ hasText: 'Depósito PIX' })).toBeVisible();
  expect((await browser.seen()).shown).toHaveLength(1);
});

test('who sees the page is told by the tone alone, and of a muted ticket by nothing', async ({ page }) => {
  const browser = await watched(page, 'granted', { sound: true, banner: true, words: true });
  const state = await stub(page, CUSTOMER, ANSWERS);
  await page.goto(`/support/ticket/${T}`);
  await page.getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Silenciar neste navegador' }).click();
  await page.getByRole('link', { name: 'Todos os chamados' }).click();
  await state.fact(`user:${CUSTOMER._id}`, 1, told());
  await state.fact(`user:${CUSTOMER._id}`, 2, {
    kind: 'ticket.activity',
    ticket: answered({ _id: 't2', number: 38 }),
  });
  await expect.poll(async () => (await browser.seen()).notes).toBe(2);
  expect((await browser.seen()).shown).toEqual([]);
  await browser.hide();
  await state.fact(`user:${CUSTOMER._id}`, 3, told({ lastNumber: 8, version: 12 }));
  await state.fact(`user:${CUSTOMER._id}`, 4, {
    kind: 'ticket.activity',
    ticket: answered({ _id: 't2', number: 38, lastNumber: 8, version: 13 }),
  });
  await expect
    .poll(async () => (await browser.seen()).shown)
    .toEqual([{ title: 'Nova resposta no chamado nº 38', body: 'Já foi aprovado.' }]);
});

test("staff are told of what is theirs or nobody's, not of a colleague's", async ({ page }) => {
  const browser = await watched(page, 'granted', { banner: true });
  const state = await stub(page, AGENT, ANSWERS);
  await page.goto('/customer-service/tickets-list');
  await expect(page.getByText('Ao vivo').first()).toBeVisible();
  await browser.hide();
  const queue = 'queue:tickets';
  await state.fact(queue, 1, { kind: 'ticket.desk', desk: desk(T, taken('Rui Leal')), handedBy: null });
  await state.fact(queue, 2, told());
  await state.fact(queue, 3, {
    kind: 'ticket.desk',
    desk: desk(T, { ...taken('Bia Ramos'), takenBy: { _id: BIA, name: 'Bia Ramos' }, version: 12 }),
    handedBy: 'Rui Leal',
  });
  await state.fact(queue, 4, told({ lastNumber: 8, version: 13 }));
  await expect
    .poll(async () => (await browser.seen()).shown)
    .toEqual([{ title: 'Nova mensagem no chamado nº 41', body: null }]);
});
