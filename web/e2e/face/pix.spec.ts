/** Deposits by PIX on both sides, and a withdrawal that fails, without a server: what the screens show, say and send. */

import { drawn, expectAccessible, picture } from '../kit';
import { ago, JUST_NOW, MINUTE } from './clock';
import { OUTBOUND } from './fixtures';
import { CODE, deposit, LISTS, page, queue, RATE, row } from './pixFixtures';
import { ADMINISTRATOR, CUSTOMER, refuse, stub } from './stub';
import { expect, type Page, type Route, test } from './window';

const PHONE = { width: 390, height: 844 };
/** A picture that looks like a bank's receipt, drawn in the page. */
async function receipt(target: Page): Promise<Buffer> {
  const url = await target.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 420;
    canvas.height = 560;
    const pen = canvas.getContext('2d');
    if (!pen) throw new Error('no canvas');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, 420, 560);
    pen.fillStyle = '#0a3';
    pen.fillRect(0, 0, 420, 70);
    pen.fillStyle = '#fff';
    pen.font = 'bold 22px sans-serif';
    pen.fillText('Comprovante PIX', 24, 44);
    pen.fillStyle = '#222';
    pen.font = '17px sans-serif';
    const lines = [
      'Valor: R$ 539,23',
      'Para: ARBORA DEMO',
      'De: Marina Duarte',
      'E6070119020261120123400000000aB1',
    ];
    for (const [index, line] of lines.entries()) pen.fillText(line, 24, 120 + index * 38);
    return canvas.toDataURL('image/png');
  });
  return Buffer.from(url.split(',')[1] ?? '', 'base64');
}

test.describe('/wallet/my-deposits-pix', () => {
  test('empty, it says what to do', async ({ page: view }) => {
    await stub(view, CUSTOMER, {
      'GET /pix/rate': { ...RATE, source: 'default', at: null, rate: '5.0000' },
      'GET /list-deposits-pix': page([]),
    });
    await view.goto('/wallet/my-deposits-pix');
    await expect(view.getByRole('heading', { level: 1, name: 'Depósitos PIX' })).toBeVisible();
    await expect(view.getByText('Nenhum depósito.')).toBeVisible();
    await expect(view.getByTestId('rate')).toHaveText('1 USD = R$ 5,0000 · Cotação padrão');
    // Both amounts are linked by the rate; BRL to pay is rounded up.
    await view.getByLabel('Você recebe').fill('100');
    await expect(view.getByLabel('Você paga')).toHaveValue('500,00');
    await view.getByLabel('Você paga').fill('1000');
    await expect(view.getByLabel('Você recebe')).toHaveValue(/^200(,0+)?$/);
    await picture(view, 'pix-empty-dark');
    await expectAccessible(view);
  });

  test('until a rate has come it is the house’s own, and nothing is asked for by that', async ({
    page: view,
  }) => {
    let come = () => {};
    const rate = new Promise<void>((resolve) => {
      come = resolve;
    });
    await stub(view, CUSTOMER, {
      'GET /pix/rate': async (route: Route) => {
        await rate;
        await route.fulfill({ json: { ...RATE, at: ago(2 * MINUTE) } });
      },
      'GET /list-deposits-pix': page([]),
    });
    await view.goto('/wallet/my-deposits-pix');
    await expect(view.getByTestId('rate')).toHaveText('1 USD = R$ 5,0000 · Cotação padrão');
    await view.getByLabel('Você recebe').fill('100');
    await expect(view.getByLabel('Você paga')).toHaveValue('500,00');
    await expect(view.getByRole('button', { name: 'Gerar PIX' })).toHaveAttribute('aria-disabled', 'true');
    come();
    await expect(view.getByTestId('rate')).toContainText('5,3923');
    await expect(view.getByLabel('Você paga')).toHaveValue('539,23');
  });

  test('one to pay, with its history', async ({ page: view }) => {
    // As old as it says: a window may have lived for minutes before this test.
    const rate = { ...RATE, at: ago(2 * MINUTE) };
    await stub(view, CUSTOMER, { 'GET /pix/rate': rate, 'GET /list-deposits-pix': LISTS });
    await view.goto('/wallet/my-deposits-pix');
    await expect(view.getByTestId('qr-text')).toHaveValue(CODE);
    await expect(view.getByTestId('rate')).toContainText('1 USD = R$ 5,3923, há 2');
    await expect(view.getByText('Cotação garantida por')).toBeVisible();
    for (const word of ['Aguardando comprovante', 'Em análise', 'Aprovado', 'Rejeitado', 'Expirado'])
      await expect(view.getByRole('table').getByText(word)).toBeVisible();
    await expect(view.getByText('O comprovante é de outro recebedor.')).toBeVisible();
    await picture(view, 'pix-dark');
    await expectAccessible(view);
    await view.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    await picture(view, 'pix-light');
    await view.setViewportSize(PHONE);
    await picture(view, 'pix-phone');
    await expectAccessible(view);
  });

  test('a photo beyond what is taken is sent smaller, upright', async ({ page: view }) => {
    await view.addInitScript(() => {
      const send = XMLHttpRequest.prototype.send;
      XMLHttpRequest.prototype.send = function (body) {
        if (body instanceof FormData) Object.assign(window, { sentFile: body.get('file') });
        send.call(this, body);
      };
    });
    await stub(view, CUSTOMER, {
      'GET /pix/rate': RATE,
      'GET /list-deposits-pix': LISTS,
      [`POST /deposit-pix/${deposit(1)._id}/proof`]: deposit(1, { status: 'pending_approval', version: 9 }),
    });
    await view.goto('/wallet/my-deposits-pix');
    await expect(view.getByTestId('qr-text')).toBeVisible();
    const bytes = await drawn(view, 5000, 4000, 'image/jpeg');
    // A telephone held upright notes the turn instead of turning the pixels: EXIF, orientation 6.
    const exif = Buffer.from('45786966000049492a0008000000010012010300010000000600000000000000', 'hex');
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
    const buffer = Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)]);
    await view
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'recibo.jpg', mimeType: 'image/jpeg', buffer });
    await view.getByRole('button', { name: 'Enviar comprovante' }).click();
    await expect(view.getByText('Comprovante recebido. Estamos conferindo.')).toBeVisible();
    const sent = await view.evaluate(async () => {
      const sentFile: File = Reflect.get(window, 'sentFile');
      const { width, height } = await createImageBitmap(sentFile);
      return { width, height, type: sentFile.type, name: sentFile.name };
    });
    expect(sent).toEqual({ width: 3577, height: 4472, type: 'image/jpeg', name: 'recibo.jpg' });
  });

  test('a rejected one offers another with the same amount', async ({ page: view }) => {
    await stub(view, CUSTOMER, {
      'GET /pix/rate': RATE,
      'GET /list-deposits-pix': page([deposit(4, { status: 'rejected', reason: 'Ilegível.', version: 3 })]),
    });
    await view.goto('/wallet/my-deposits-pix');
    await view.getByText('Ilegível.').click();
    const drawer = view.getByRole('dialog');
    await expect(drawer.getByText('Ilegível.')).toBeVisible();
    await expectAccessible(view);
    await drawer.getByRole('button', { name: 'Enviar outro' }).click();
    await expect(view.getByLabel('Você paga')).toHaveValue('539,23');
  });
});

test.describe('/deposits-pix-approve-reject', () => {
  test('before the press: another person has to agree, however small it is; then that it waits', async ({
    page: view,
  }) => {
    const payment = { endToEndId: 'E6070119020261120123400000000aB1', payerName: 'Ana', brl: '539.23' };
    const small = row(1, { user: 'u7', statement: payment });
    const state = await stub(view, ADMINISTRATOR, {
      'GET /admin/list-deposits-pix-approve-reject': queue([small]),
      'GET /admin/approvals/preview': {
        needed: 2,
        completes: true,
        given: [{ _id: 'u9', username: 'biaprado', at: JUST_NOW }],
      },
      'PATCH /admin/deposits-pix-approve-reject': {
        ...small,
        approvals: 1,
        approvalsNeeded: 2,
        version: 3,
      },
    });
    await view.goto('/deposits-pix-approve-reject');
    await view.getByText('@marinaduarte48201').click();
    await expect.poll(() => state.calls).toContain('GET /admin/approvals/preview');
    await view.getByRole('dialog').getByRole('button', { name: 'Aprovar' }).click();
    const dialog = view.getByRole('dialog', { name: 'Aprovar este depósito?' });
    const effect = dialog.getByTestId('approval-effect');
    await expect(effect).toContainText('@biaprado já aprovou');
    await expect(effect).toContainText('O saldo do cliente muda na hora.');
    await expectAccessible(view);
    // Another one is decided meanwhile: with it the day's sum is above the limit.
    state.answers['GET /admin/approvals/preview'] = { needed: 2, completes: false, given: [] };
    const other = { ...row(2, { user: 'u8' }), status: 'approved', version: 4 };
    await state.fact('queue:pix-deposits', 1, {
      kind: 'queue.changed',
      queue: 'pix-deposits',
      item: { type: 'pix_deposit', deposit: other },
      pending: 1,
    });
    await expect(effect).toContainText('Outra pessoa também precisa aprovar: são 2 aprovações');
    await expect(effect).not.toContainText('na hora');
    await dialog.getByRole('button', { name: 'Aprovar' }).click();
    await expect(view.getByText('1 de 2 aprovações. Falta outra pessoa.')).toBeVisible();
  });

  test('an empty queue', async ({ page: view }) => {
    await stub(view, ADMINISTRATOR, { 'GET /admin/list-deposits-pix-approve-reject': queue([]) });
    await view.goto('/deposits-pix-approve-reject');
    await expect(view.getByText('Fila vazia.')).toBeVisible();
    await expectAccessible(view);
  });

  test('proof beside the claim; approving asks for what the statement says', async ({ page: view }) => {
    test.slow(); // four looks by axe
    const rows = [
      row(1, { signals: ['proof_seen_before', 'first_deposit'], user: 'u7' }),
      row(2, {
        user: 'u8',
        brl: '30000.00',
        usdt: '5563.488678',
        signals: ['large_amount'],
        approvalsNeeded: 2,
        approvals: 1,
        fullName: 'Rui Prado',
        username: 'ruiprado7',
      }),
    ];
    let sent: { body: unknown; key: string | undefined } | null = null;
    let image: Buffer = Buffer.alloc(0);
    await stub(view, ADMINISTRATOR, {
      'GET /admin/list-deposits-pix-approve-reject': queue(rows),
      'GET /admin/approvals/preview': { needed: 1, completes: true, given: [] },
      'GET /files/018f0000-0000-7000-8000-0000000000f1': (route: {
        fulfill: (answer: object) => Promise<void>;
      }) => route.fulfill({ contentType: 'image/png', body: image }),
      'PATCH /admin/deposits-pix-approve-reject': async (route: {
        request: () => { postDataJSON: () => unknown; headers: () => Record<string, string> };
        fulfill: (answer: object) => Promise<void>;
      }) => {
        sent = { body: route.request().postDataJSON(), key: route.request().headers()['idempotency-key'] };
        await route.fulfill({ json: { ...rows[0], status: 'approved', credited: '100.000000', version: 3 } });
      },
    });
    await view.goto('/deposits-pix-approve-reject');
    await expect(view.getByText('O mais antigo espera')).toBeVisible();
    await expect(view.getByText('1 de 2 aprovações')).toBeVisible();
    image = await receipt(view);
    await picture(view, 'approve-pix-dark');
    await expectAccessible(view);
    await view.getByText('@marinaduarte48201').click();
    const drawer = view.getByRole('dialog');
    await expect(drawer.getByRole('img', { name: 'Comprovante enviado' })).toBeVisible();
    await expect(drawer.getByText('Este comprovante já foi enviado em outro depósito.')).toBeVisible();
    await view.keyboard.press('a');
    await expect(drawer.getByText('Informe os 32 caracteres do EndToEndId.')).toBeVisible();
    await drawer.getByLabel('EndToEndId do banco').fill('E6070119020261120123400000000aB1');
    await drawer.getByLabel('Nome de quem pagou').fill('Marina Duarte');
    await picture(view, 'approve-pix-drawer');
    await expectAccessible(view);
    await drawer.getByRole('button', { name: 'Aprovar' }).click();
    const dialog = view.getByRole('dialog', { name: 'Aprovar este depósito?' });
    await expect(dialog.getByRole('button', { name: 'Cancelar' })).toBeFocused();
    await expectAccessible(view);
    await expect(dialog.getByText('O saldo do cliente muda na hora.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Aprovar' }).click();
    await expect(view.getByText('Depósito aprovado: 100,00 USDT para @marinaduarte48201.')).toBeVisible();
    expect(sent).toMatchObject({
      body: {
        id: rows[0]?._id,
        status: 'approved',
        endToEndId: 'E6070119020261120123400000000aB1',
        payerName: 'Marina Duarte',
        brl: '539.23',
      },
      key: expect.stringMatching(/^[\w-]{16,64}$/),
    });
    await view.setViewportSize(PHONE);
    await picture(view, 'approve-pix-phone');
  });

  test('a large credit is taken back by a second person, who reads why the first one asked', async ({
    page: view,
  }) => {
    const credited = row(1, { user: 'u1', status: 'approved', credited: '9000.000000' });
    const asked = row(2, {
      user: 'u2',
      status: 'approved',
      credited: '9000.000000',
      username: 'ruiprado7',
      reversalAskedBy: 'lucas22',
      reversalReason: 'Devolvido pelo banco',
    });
    const sent: unknown[] = [];
    const answer =
      (json: object) =>
      async (route: {
        request: () => { postDataJSON: () => unknown };
        fulfill: (a: object) => Promise<void>;
      }) => {
        sent.push(route.request().postDataJSON());
        await route.fulfill({ json });
      };
    await stub(view, ADMINISTRATOR, {
      'GET /admin/list-deposits-pix-approve-reject': queue([credited, asked]),
      [`POST /admin/deposits-pix/${credited._id}/reverse`]: answer({
        ...credited,
        reversalAskedBy: ADMINISTRATOR.username,
        reversalReason: 'Fraude',
        version: 9,
      }),
      [`POST /admin/deposits-pix/${asked._id}/reverse`]: answer({ ...asked, reversed: true, version: 9 }),
    });
    await view.goto('/deposits-pix-approve-reject?status=approved');
    await view.getByText(`@${credited.username}`).click();
    const drawer = view.getByRole('dialog').first();
    await drawer.getByRole('button', { name: 'Estornar crédito' }).click();
    const confirm = view.getByRole('dialog', { name: 'Estornar este depósito?' });
    await confirm.getByLabel('Motivo, que o cliente vê').fill('Fraude');
    await confirm.getByRole('button', { name: 'Estornar crédito' }).click();
    await expect(view.getByTestId('toast').getByText('Estorno pedido. Falta outra pessoa.')).toBeVisible();
    await expect(confirm).toBeHidden();
    await view.getByText('@ruiprado7').click();
    await expect(view.getByText('@lucas22 pediu o estorno: Devolvido pelo banco')).toBeVisible();
    await view.getByRole('button', { name: 'Concordar com o estorno' }).click();
    await expect(confirm.getByText('Devolvido pelo banco')).toBeVisible();
    await expectAccessible(view);
    await picture(view, 'reverse-pix-second');
    await confirm.getByRole('button', { name: 'Estornar crédito' }).click();
    await expect(view.getByTestId('toast').getByText(/Crédito de .* estornado\./)).toBeVisible();
    expect(sent).toEqual([{ reason: 'Fraude' }, { reason: '' }]);
  });
});

test('a withdrawal that fails says so where it was asked for: at the form, and at the code', async ({
  page: view,
}) => {
  const quote = {
    value: '100.000000',
    fee: '2.000000',
    net: '98.000000',
    brl: '528.44',
    rate: RATE.rate,
    source: 'service',
    at: JUST_NOW,
    destination: 'pix:cpf:12345678909',
    holder: 'matches',
    key: '***.456.789-**',
    keyKind: 'cpf',
  };
  const { answers, calls } = await stub(view, CUSTOMER, {
    'GET /pix/rate': {
      ...RATE,
      withdrawal: { feePercent: '2.00', feeMinimum: '1.000000', minimum: '10.000000' },
    },
    'GET /pix/holder': { holder: { document: '***.456.789-**', kind: 'cpf', since: JUST_NOW } },
    'GET /list-withdraws-pix': page([]),
    'GET /outbound-state': OUTBOUND,
    'POST /withdraw-pix/quote': refuse(409, 'outbound.paused', 'Saídas pausadas.'),
    'POST /security-code': { method: 'email' },
    'POST /withdraw-pix': refuse(409, 'outbound.paused', 'Saídas pausadas.'),
  });
  await view.goto('/wallet/my-withdrawals-pix');
  const form = view.getByRole('region', { name: 'Novo saque' });
  await form.getByRole('textbox', { name: 'Chave PIX' }).fill('123.456.789-09');
  await form.getByLabel('Valor do saque').fill('100');
  await form.getByRole('button', { name: 'Continuar' }).click();
  await expect(form.getByRole('alert')).toContainText('Falha ao retirar valorSaídas pausadas.');
  await expectAccessible(view);
  await picture(view, 'pix-withdrawal-failed');
  expect(calls).not.toContain('POST /withdraw-pix');
  // What was typed is still there, and is asked for again.
  answers['POST /withdraw-pix/quote'] = quote;
  await form.getByRole('button', { name: 'Continuar' }).click();
  await view
    .getByRole('dialog', { name: 'Confirmar este saque?' })
    .getByRole('button', { name: 'Pedir código' })
    .click();
  const code = view.getByRole('dialog', { name: 'Código de segurança' });
  await code.getByRole('textbox').first().click();
  await view.keyboard.type('123456');
  await expect(code.getByRole('alert')).toContainText('Falha ao retirar valorSaídas pausadas.');
  await expectAccessible(view, ['dark']);
  await picture(view, 'pix-withdrawal-refused');
});
