/** What every list does: its period, picked at one press or in the calendar, in the reader's language. */

import { expectAccessible, fits, picture, SKINS, wear } from '../kit';
import { ahead, DAY } from './clock';
import { LISTS, RATE } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, stub } from './stub';
import { expect, type Page, test } from './window';

const PHONE = { width: 390, height: 844 };

/** The business day so many days from now. */
const day = (from: number) => ahead(from * DAY).slice(0, 10);

/** Opens a list; tells for which period its call was asked last. */
async function open(view: Page, { query = '', locale = 'pt' } = {}) {
  const asked: URLSearchParams[] = [];
  await view.addInitScript((name) => localStorage.setItem('locale', name), locale);
  await stub(view, CUSTOMER, {
    'GET /pix/rate': RATE,
    'GET /list-deposits-pix': LISTS,
  });
  view.on('request', (request) => {
    const url = new URL(request.url());
    // What stands above the list asks there too, for what is open and not for a page.
    const { searchParams } = url;
    if (url.pathname.endsWith('/list-deposits-pix') && searchParams.has('page')) asked.push(searchParams);
  });
  await view.goto(`/wallet/my-deposits-pix${query}`);
  await expect(view.getByRole('heading', { level: 1 })).toBeVisible();
  // What stands above the list has come: it would push an open calendar's field out of the window, and a calendar goes with its field.
  await expect(view.getByTestId('qr-text')).toBeVisible();
  return () => ['startDate', 'endDate', 'page'].map((name) => asked.at(-1)?.get(name) ?? null);
}
const OCTOBER = '?startDate=2026-10-05&endDate=2026-10-09';

test('usual periods are one press', async ({ page: view }) => {
  const asked = await open(view, { query: '?page=2' });
  const field = view.getByRole('button', { name: /^Período/ });
  const pick = async (preset: string) => {
    await field.click();
    await view.getByRole('dialog').getByRole('button', { name: preset, exact: true }).click();
    await expect(view.getByRole('dialog')).toBeHidden();
  };
  await pick('Hoje');
  await expect.poll(asked).toEqual([day(0), day(0), '1']);
  await pick('7 dias');
  await expect.poll(asked).toEqual([day(-6), day(0), '1']);
  await pick('30 dias');
  await expect.poll(asked).toEqual([day(-29), day(0), '1']);
  await pick('Este mês');
  await expect.poll(asked).toEqual([`${day(0).slice(0, 8)}01`, day(0), '1']);
  await pick('Mês passado');
  const [year = 0, month = 0] = day(0).split('-').map(Number);
  const last = (at: Date) => at.toISOString().slice(0, 10);
  const before = [last(new Date(Date.UTC(year, month - 2, 1))), last(new Date(Date.UTC(year, month - 1, 0)))];
  await expect.poll(asked).toEqual([...before, '1']);
  // A link and a reload show the same.
  await expect.poll(() => new URL(view.url()).searchParams.get('startDate')).toBe(before[0]);
});

test('another period is two days in the calendar; the first of them alone asks nothing', async ({
  page: view,
}) => {
  const asked = await open(view, { query: OCTOBER });
  const field = view.getByRole('button', { name: /^Período/ });
  await expect(field).toHaveAccessibleName('Período: 05/10/2026 – 09/10/2026');
  await expect(view.getByText('Período: 05/10/2026 – 09/10/2026')).toBeVisible();
  await expect.poll(asked).toEqual(['2026-10-05', '2026-10-09', '1']);

  await field.click();
  await view.getByRole('button', { name: '20 outubro 2026' }).click();
  await view.keyboard.press('Escape');
  await expect(field).toHaveAccessibleName('Período: 05/10/2026 – 09/10/2026');
  expect(asked()).toEqual(['2026-10-05', '2026-10-09', '1']);

  await field.click();
  await view.getByRole('button', { name: 'Mês anterior' }).click();
  await view.getByRole('button', { name: '25 setembro 2026' }).click();
  await view.getByRole('button', { name: '12 setembro 2026' }).click();
  await expect.poll(asked).toEqual(['2026-09-12', '2026-09-25', '1']);

  // One's own period begins with none.
  await field.click();
  await view.getByRole('button', { name: 'Personalizado' }).click();
  await expect.poll(asked).toEqual([null, null, '1']);
  await expect(view.getByRole('dialog')).toBeVisible();
  await view.keyboard.press('Escape');
  await expect(field).toHaveAccessibleName('Período');
});

test('by the keyboard alone', async ({ page: view }) => {
  const asked = await open(view, { query: OCTOBER });
  const field = view.getByRole('button', { name: /^Período/ });
  await field.focus();
  await view.keyboard.press('Enter');
  // The calendar takes the focus as it opens; only then it is moved on.
  await expect(view.getByRole('button', { name: '5 outubro 2026', exact: true })).toBeFocused();
  await view.getByRole('button', { name: '12 outubro 2026' }).focus();
  await view.keyboard.press('Enter');
  await view.keyboard.press('ArrowRight');
  await view.keyboard.press('ArrowDown');
  await view.keyboard.press('Enter');
  await expect.poll(asked).toEqual(['2026-10-12', '2026-10-20', '1']);
  await expect(field).toBeFocused();
});

for (const [locale, label, month, first, from] of [
  ['pt', 'Período', 'outubro 2026', 'do', '05/10/2026'],
  ['en', 'Period', 'October 2026', 'su', '10/05/2026'],
  ['es', 'Período', 'octubre 2026', 'lu', '05/10/2026'],
] as const)
  test(`in ${locale}, in both skins`, async ({ page: view }) => {
    await open(view, { query: OCTOBER, locale });
    const field = view.getByRole('button', { name: new RegExp(`^${label}`) });
    await expect(field).toHaveAccessibleName(new RegExp(`^${label}: ${from} – `));
    await field.click();
    const calendar = view.getByRole('dialog', { name: label });
    await expect(calendar.getByRole('button', { name: month, exact: true })).toBeVisible();
    await expect(calendar.getByRole('columnheader').first()).toHaveText(new RegExp(`^${first}`, 'i'));
    for (const skin of SKINS) {
      await wear(view, skin);
      await picture(view, `period-${locale}-${skin}`);
    }
    await expectAccessible(view);
  });

test('on a phone: a dialog of its own, nothing wider than the window', async ({ page: view }) => {
  await view.setViewportSize(PHONE);
  const asked = await open(view, { query: OCTOBER });
  await view.getByRole('button', { name: /^Filtrar/ }).click();
  await view.getByRole('button', { name: /^Período/ }).click();
  await expect(view.getByRole('button', { name: 'Mês passado' })).toBeVisible();
  await picture(view, 'period-phone-dark');
  await expectAccessible(view);
  await view.setViewportSize({ width: 320, height: 640 });
  await fits(view, 'the calendar');
  await expect(view.getByRole('button', { name: '10 outubro 2026' })).toBeInViewport({ ratio: 1 });
  await picture(view, 'period-320');
  await view.getByRole('button', { name: 'Hoje' }).click();
  await expect.poll(asked).toEqual([day(0), day(0), '1']);
  await view.getByRole('button', { name: 'Ver resultados' }).click();
  await expect(view.getByText(/^Período: \d\d\/\d\d\/\d{4}$/)).toBeVisible();
  await fits(view, 'the list');
});

test('sales: ten a page, newest first, and of one method alone', async ({ page: view }) => {
  const asked: string[] = [];
  await stub(view, ADMINISTRATOR, {
    'GET /admin/crypto-deposits-list': {
      data: [],
      meta: { page: 1, limit: 10, total: 0, lastPage: 1 },
      groups: [],
      days: [],
    },
  });
  view.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith('/admin/crypto-deposits-list')) asked.push(search);
  });
  await view.goto('/crypto-deposits-list');
  await expect.poll(() => asked.at(-1)).toBe('?page=1&limit=10&sortby=created_at&sortdirection=desc');
  // Licences are what is sold here: there is no product to choose.
  await expect(view.getByRole('combobox', { name: 'Produto' })).toHaveCount(0);
  await view.getByRole('combobox', { name: 'Método' }).click();
  await view.getByRole('option', { name: 'Saldo' }).click();
  await expect.poll(() => asked.at(-1)).toContain('&selectedMethod=balance');
  await expect(view.getByText('Nenhuma venda.').or(view.getByText('Limpar filtros')).first()).toBeVisible();
  await picture(view, 'sales-method');
  await expectAccessible(view);
  await view.setViewportSize(PHONE);
  await fits(view);
});
