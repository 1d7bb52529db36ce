/** PYX on both sides, without a server: rounds, holdings, the book, and who decides on rounds. */

import { expectAccessible, fits, picture, wear } from '../kit';
import { answers, at, date, MARKET, NOTHING, order, round, staffRound, trade } from './exchangeFixtures';
import { OUTBOUND, page } from './fixtures';
import { ADMINISTRATOR, CUSTOMER, stub } from './stub';
import { type Route as Answered, expect, test } from './window';

const PHONE = { width: 390, height: 844 };

test.describe('/exchange/negotiate-igc', () => {
  test('before any round it says so', async ({ page: view }) => {
    await stub(
      view,
      CUSTOMER,
      answers({
        'GET /presale/rounds': { current: null, next: null, past: [] },
        'GET /presale/holdings': NOTHING,
        'GET /presale/price-history': { rounds: [], candles: [] },
        'GET /orders/book': {
          ...MARKET,
          open: false,
          book: { bids: [], asks: [], trades: 0 },
          reference: null,
          low: null,
          high: null,
          fairBuy: null,
          fairSell: null,
          last: null,
          dayFirst: null,
          dayQuantity: '0.000000',
        },
        'GET /orders/trades': page([]),
        'GET /orders': page([]),
      }),
    );
    await view.goto('/exchange/negotiate-igc');
    await expect(view.getByText('Nenhuma rodada ainda.')).toBeVisible();
    await expectAccessible(view);
    await view.getByRole('tab', { name: 'Mercado' }).click();
    await expect(view.getByTestId('market-closed')).toBeVisible();
    await expect(view.getByText('Ninguém vende agora.')).toBeVisible();
    await expectAccessible(view);
  });

  test('a round: price, progress, a purchase with its receipt, a claim', async ({ page: view }) => {
    test.slow(); // looks in both skins and on a phone
    let sent: unknown = null;
    let claims = 0;
    await stub(
      view,
      CUSTOMER,
      answers({
        'POST /presale/buy': async (route: {
          request: () => { postDataJSON: () => unknown };
          fulfill: (answer: object) => Promise<void>;
        }) => {
          sent = route.request().postDataJSON();
          await route.fulfill({
            status: 201,
            json: {
              _id: '018f0000-0000-7000-8000-000000000901',
              round: 2,
              price: '0.050000',
              value: '100.00',
              pyx: '2000.000000',
              created_at: at(0),
            },
          });
        },
        'POST /presale/claim': async (route: { fulfill: (answer: object) => Promise<void> }) => {
          claims += 1;
          await route.fulfill({ json: { day: date(0), pyx: '27.500000', repeated: false } });
        },
      }),
    );
    await view.goto('/exchange/negotiate-igc');
    await expect(view.getByRole('heading', { level: 1, name: 'Negociar PYX' })).toBeVisible();
    await expect(view.getByTestId('round-price')).toContainText('0,0500');
    await expect(view.getByTestId('sold')).toContainText('41,23');
    await expect(view.getByText(/passam 30 dias/)).toBeVisible();
    await expect(view.getByTestId('pyx-locked')).toContainText('9.917,5000');
    await view.getByLabel('Você paga').fill('100');
    await expect(view.getByTestId('receives')).toContainText('2.000,0000');
    await picture(view, 'exchange-presale-dark');
    await expectAccessible(view);
    await view.getByRole('button', { name: 'Comprar', exact: true }).click();
    const dialog = view.getByRole('dialog');
    await expect(dialog.getByText('Primeira liberação')).toBeVisible();
    await dialog.getByRole('button', { name: 'Comprar' }).click();
    const notice = view.getByTestId('notice');
    await expect(notice).toContainText('Comprovante da compra');
    await expect(notice).toContainText('2.000,0000');
    await notice.getByRole('button', { name: 'Dispensar' }).click();
    await expect(notice).toHaveCount(0);
    expect(sent).toEqual({ round: round(2)._id, value: '100' });
    await view.getByRole('button', { name: 'Resgatar' }).click();
    await expect.poll(() => claims).toBe(1);
    await view.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(view, 'exchange-presale-light');
    await expectAccessible(view);
    await view.setViewportSize(PHONE);
    await picture(view, 'exchange-presale-phone');
    await expectAccessible(view);
  });

  test('the market: book, own prices, an order within tick, lot and band', async ({ page: view }) => {
    test.slow();
    let sent: unknown = null;
    await stub(
      view,
      CUSTOMER,
      answers({
        'POST /orders': async (route: {
          request: () => { postDataJSON: () => unknown };
          fulfill: (answer: object) => Promise<void>;
        }) => {
          sent = route.request().postDataJSON();
          await route.fulfill({ status: 201, json: order(9, { filled: '0.000000', version: 1 }) });
        },
      }),
    );
    await view.goto('/exchange/negotiate-igc?tab=market');
    await expect(view.getByTestId('last-price')).toContainText('0,0525');
    await expect(view.getByText('Sua', { exact: true })).toBeVisible();
    await picture(view, 'exchange-market-dark');
    await expectAccessible(view);
    await view.getByRole('button', { name: 'Comprar a 0,0530' }).click();
    await expect(view.getByLabel('Preço limite')).toHaveValue('0,053');
    await view.getByLabel('Preço limite').fill('0,05301');
    await expect(view.getByText('O preço anda em passos de 0,0001 USDT.')).toBeVisible();
    await view.getByLabel('Preço limite').fill('0,07');
    await expect(view.getByText('Entre 0,0420 e 0,0628 USDT.')).toBeVisible();
    await view.getByLabel('Preço limite').fill('0,053');
    await view.getByLabel('Quantidade').fill('10,001');
    await expect(view.getByText('A quantidade anda em passos de 0,01 PYX.')).toBeVisible();
    await view.getByLabel('Quantidade').fill('100');
    await expect(view.getByTestId('order-total')).toContainText('5,3000');
    await view.getByRole('button', { name: 'Ordem de compra' }).click();
    await view.getByRole('dialog').getByRole('button', { name: 'Ordem de compra' }).click();
    await expect.poll(() => sent).toEqual({ side: 'buy', price: '0.053', quantity: '100' });
    await view.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(view, 'exchange-market-light');
    await expectAccessible(view);
    await view.setViewportSize(PHONE);
    await expect(view.getByRole('tab', { name: 'Minhas ordens' })).toBeVisible();
    await picture(view, 'exchange-market-phone');
    await view.getByRole('tab', { name: 'Minhas ordens' }).click();
    await expect(view.getByText('Encontrou uma ordem sua.')).toBeVisible();
    await expectAccessible(view);
  });

  test('trades are seen as they happen: nobody asks for their list but where one was missed', async ({
    page: view,
  }) => {
    const state = await stub(view, CUSTOMER, answers());
    await view.goto('/exchange/negotiate-igc?tab=market');
    const rows = view.getByRole('table', { name: 'Negócios' }).locator('tbody tr');
    await expect(rows).toHaveCount(3);
    const asked = () => state.calls.filter((call) => call.startsWith('GET /orders/trades')).length;
    const before = asked();
    const show = (number: number, price: string) =>
      state.glimpse('pyx.trade', { kind: 'pyx.trade', ...trade(number, price, 'buy') });
    await expect(async () => {
      show(4, '0.053000');
      await expect(rows).toHaveCount(4, { timeout: 500 });
    }).toPass();
    await expect(rows.first()).toContainText('0,0530');
    await expect(view.getByTestId('last-price')).toContainText('0,0530');
    expect(asked()).toBe(before);
    state.answers['GET /orders/trades'] = page(
      [6, 5, 4, 3, 2, 1].map((number) => trade(number, '0.054000', 'sell')),
    );
    show(6, '0.054000');
    await expect(rows).toHaveCount(6);
  });

  test("a session's first order asks for its code; a bound owner orders at the anchors or better", async ({
    page: view,
  }) => {
    const sent: { securityCode?: string }[] = [];
    const asked: unknown[] = [];
    type Route = {
      request: () => { postDataJSON: () => { securityCode?: string } };
      fulfill: (answer: object) => Promise<void>;
    };
    await stub(
      view,
      CUSTOMER,
      answers({
        'GET /outbound-state': { ...OUTBOUND, whitelistOn: true, ordersBound: true },
        'POST /security-code': async (route: Route) => {
          asked.push(route.request().postDataJSON());
          await route.fulfill({ json: { method: 'email' } });
        },
        'POST /orders': async (route: Route) => {
          const body = route.request().postDataJSON();
          sent.push(body);
          await (body.securityCode
            ? route.fulfill({ status: 201, json: order(9, { filled: '0.000000', version: 1 }) })
            : route.fulfill({ status: 422, json: { code: 'code.missing', message: 'Informe o código.' } }));
        },
      }),
    );
    await view.goto('/exchange/negotiate-igc?tab=market');
    await expect(view.getByTestId('reference')).toContainText('0,0524');
    await view.getByLabel('Preço limite').fill('0,0524');
    await expect(view.getByText(/compre por até 0,0523 USDT/)).toBeVisible();
    await view.getByLabel('Quantidade').fill('100');
    await view.getByLabel('Preço limite').fill('0,0523');
    await view.getByRole('button', { name: 'Ordem de compra' }).click();
    await view.getByRole('dialog').getByRole('button', { name: 'Ordem de compra' }).click();
    const code = view.getByRole('dialog', { name: 'Código de segurança' });
    await expect(code).toBeVisible();
    await expectAccessible(view);
    await code.getByRole('textbox').first().click();
    await view.keyboard.type('123456');
    await expect(view.getByText('Ordem no livro.')).toBeVisible();
    expect(asked).toEqual([{ purpose: 'pyx-trading' }]);
    const plain = { side: 'buy', price: '0.0523', quantity: '100' };
    expect(sent).toEqual([plain, { ...plain, securityCode: '123456' }]);
  });

  test('what cannot be loaded says so', async ({ page: view }) => {
    const broken = (route: { fulfill: (answer: object) => Promise<void> }) =>
      route.fulfill({ status: 500, json: { code: 'service.internal', message: 'Algo deu errado.' } });
    await stub(view, CUSTOMER, answers({ 'GET /presale/rounds': broken, 'GET /orders/book': broken }));
    await view.goto('/exchange/negotiate-igc');
    // A fault of the server is asked again a few times first.
    const patient = { timeout: 45_000 };
    await expect(view.getByText('Não foi possível carregar a pré-venda.')).toBeVisible(patient);
    await view.getByRole('tab', { name: 'Mercado' }).click();
    await expect(view.getByText('Não foi possível carregar o mercado.')).toBeVisible(patient);
    await expectAccessible(view);
  });
});

test.describe('/administrator/presale', () => {
  test('one proposes, another agrees', async ({ page: view }) => {
    let agreed = 0;
    const proposed: { startsAt?: string }[] = [];
    const third = staffRound(3, {
      status: 'proposed',
      agreedName: null,
      editable: true,
      sold: '0.000000',
      buyers: 0,
    });
    await stub(view, ADMINISTRATOR, {
      'GET /admin/presale/rounds': page([third, staffRound(2)]),
      'POST /admin/presale/rounds': async (route: Answered) => {
        proposed.push(route.request().postDataJSON());
        await route.fulfill({ status: 201, json: third });
      },
      [`POST /admin/presale/rounds/${third._id}/agree`]: async (route: {
        fulfill: (answer: object) => Promise<void>;
      }) => {
        agreed += 1;
        await route.fulfill({ json: { _id: third._id } });
      },
    });
    await view.goto('/administrator/presale');
    await expect(view.getByText('Proposta', { exact: true })).toBeVisible();
    await picture(view, 'presale-staff-dark');
    await expectAccessible(view);
    await view.getByRole('button', { name: 'Concordar' }).click();
    await view.getByRole('dialog').getByRole('button', { name: 'Concordar' }).click();
    await expect.poll(() => agreed).toBe(1);
    await view.getByRole('button', { name: 'Propor rodada' }).click();
    const dialog = view.getByRole('dialog');
    // A moment is typed the reader's way: a day, and a time of it.
    const day = dialog.getByRole('textbox', { name: 'Fim', exact: true });
    await day.fill('30/11/2027');
    await day.press('Tab');
    await expect(dialog.getByText('depois do início', { exact: false })).toHaveCount(0);
    await dialog.getByLabel('Fim: horas').fill('18');
    await dialog.getByLabel('Fim: minutos').fill('30');
    await expect(dialog.getByRole('textbox', { name: 'Início', exact: true })).toHaveValue(
      /^\d\d\/\d\d\/\d{4}$/,
    );
    await dialog.getByLabel('Preço por PYX').fill('0,07');
    await dialog.getByLabel('À venda').fill('1000000');
    await dialog.getByLabel('Máximo por pessoa').fill('50000');
    await dialog.getByLabel('Dias de espera').fill('30');
    await dialog.getByLabel('Dias de liberação').fill('180');
    await picture(view, 'presale-propose');
    await expectAccessible(view);
    await view.setViewportSize(PHONE);
    await wear(view, 'light');
    await fits(view);
    await picture(view, 'presale-propose-phone-light');
    await dialog.getByRole('button', { name: 'Propor rodada' }).click();
    await expect.poll(() => proposed).toHaveLength(1);
    expect(proposed[0]).toMatchObject({ price: '0.07', endsAt: '2027-11-30T18:30:00-03:00' });
    expect(proposed[0]?.startsAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00-03:00$/);
  });
});
