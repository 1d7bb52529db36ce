/** A customer and two agents in three browsers, on two processes of one house: who speaks to one process is heard by those of the other,
 *  whose ticket it is is seen at once, and when one process dies nothing that was said is lost or comes twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, expect, type Page } from '@playwright/test';
import { demo, expectAccessible, type Name, picture, signIn, test } from './kit';
import { OwnServer } from './server';

const log = (page: Page) => page.getByRole('log');
const field = (page: Page) => page.getByRole('textbox', { name: 'Escreva uma mensagem' });
const live = (page: Page) => page.getByText('Ao vivo').first();

/** The bus between the processes; on a socket, so that nobody else speaks to it. */
class Bus {
  readonly #place = mkdtempSync(join(tmpdir(), 'arbora-bus.'));
  readonly #process: ChildProcess;

  constructor() {
    const options = ['--port', '0', '--unixsocket', this.#socket, '--save', '', '--dir', this.#place];
    this.#process = spawn('redis-server', options, { stdio: 'ignore' });
  }

  get #socket() {
    return join(this.#place, 'bus');
  }

  get url() {
    return `redis+unix://${this.#socket}`;
  }

  async ready() {
    await expect.poll(() => existsSync(this.#socket)).toBe(true);
  }

  async dispose() {
    const ended = new Promise((done) => this.#process.once('exit', done));
    if (this.#process.kill()) await ended;
    rmSync(this.#place, { recursive: true, force: true });
  }
}

/** The first process has the house's database and secrets; the second is told where they are. `started` has them as they come, the one
 *  that has to end first before the other. */
async function twoProcesses(bus: Bus, started: OwnServer[]): Promise<readonly [OwnServer, OwnServer]> {
  const shared = ['--redis-url', bus.url, '--chain-tools', 'off'];
  const first = await OwnServer.make(shared);
  started.push(first);
  await first.start();
  const role = (name: string) =>
    `postgres://${name}@localhost/arbora?host=${encodeURIComponent(join(first.secrets, 'run'))}`;
  const second = await OwnServer.make([
    ...shared,
    ...['--secrets-dir', join(first.secrets, 'secrets')],
    ...['--database-url', role('arbora_app'), '--database-owner-url', role('arbora_owner')],
  ]);
  started.unshift(second);
  await second.start();
  return [first, second];
}

async function enter(browser: Browser, at: OwnServer, home: OwnServer, name: Name): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: at.url })).newPage();
  await signIn(page, demo(name, home.secrets));
  return page;
}

async function say(page: Page, text: string) {
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await expect(log(page).getByText(text, { exact: true })).toBeVisible();
}

/** Every message once and in this order, whoever looks. */
async function heard(pages: readonly Page[], words: readonly string[]) {
  for (const page of pages) {
    await expect(log(page).locator('[data-number]')).toContainText([...words]);
    await expect(log(page).locator('[data-number]')).toHaveCount(words.length);
  }
}

test('two agents and a customer on two processes: one conversation, whoever dies', async ({ browser }) => {
  test.setTimeout(600_000);
  const bus = new Bus();
  const servers: OwnServer[] = [];
  try {
    await bus.ready();
    const [one, two] = await twoProcesses(bus, servers);
    const gisele = await enter(browser, two, one, 'store');
    const elisa = await enter(browser, one, one, 'employee');
    for (const agent of [gisele, elisa]) {
      await agent.goto('/customer-service/tickets-list');
      await expect(live(agent)).toBeVisible();
    }
    const customer = await enter(browser, one, one, 'trader1');

    // A new ticket stands in both lists, whichever process each speaks to.
    const subject = 'Meu robô parou';
    await customer.goto('/support/new-ticket');
    await customer.getByLabel('Assunto').fill(subject);
    await customer.getByRole('combobox', { name: 'Categoria' }).click();
    await customer.getByRole('option', { name: 'Financeiro' }).click();
    await customer.getByLabel('Descrição').fill('Desde ontem.');
    await customer.getByRole('button', { name: 'Abrir chamado' }).click();
    await expect(customer).toHaveURL(/\/support\/ticket\/[0-9a-f-]{36}$/);
    const words = ['Desde ontem.'];
    const row = (page: Page) => page.getByRole('row').filter({ hasText: subject });
    for (const agent of [gisele, elisa]) await expect(row(agent)).toBeVisible();
    await expectAccessible(elisa);

    // Who looks is seen, who answers has it: the colleague's list says so, and her page who else is here.
    await row(gisele).click();
    await heard([gisele, customer], words);
    // Whoever only looks is not said to have it.
    await expect(row(elisa)).toContainText(/Gisele[^.]* está vendo/);
    await expect(row(elisa)).not.toContainText('Com Gisele');
    await say(gisele, 'Vou olhar.');
    words.push('Vou olhar.');
    await heard([gisele, customer], words);
    await expect(row(elisa)).toContainText('Com Gisele');
    await row(elisa).click();
    await heard([elisa], words);
    await expect(elisa.getByTestId('people')).toContainText('Gisele');
    await expect(gisele.getByTestId('people')).toContainText('Elisa');

    // Handed over: the colleague of the other process has it at once.
    await gisele.getByRole('button', { name: 'Com você' }).click();
    await gisele.getByRole('menuitem', { name: 'Passar adiante' }).click();
    const dialog = gisele.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await expectAccessible(gisele, ['dark']);
    await dialog.getByRole('combobox', { name: 'Para quem' }).click();
    await gisele.getByRole('option', { name: /Elisa/ }).click();
    await dialog.getByRole('button', { name: 'Passar adiante' }).click();
    await expect(elisa.getByRole('button', { name: 'Com você' })).toBeVisible();
    await expect(gisele.getByRole('button', { name: /Com Elisa/ })).toBeVisible();
    await picture(elisa, 'desk-two-processes');
    for (const page of [customer, elisa]) await expectAccessible(page);

    // The second process dies; the others go on, and what it missed comes once and in order.
    await two.kill();
    await expect(gisele.getByText('Conexão perdida!').first()).toBeVisible();
    await field(gisele).fill('Estou de volta.');
    for (const [page, text] of [
      [customer, 'Ainda parado'],
      [elisa, 'Vejo agora'],
      [customer, 'Obrigada'],
    ] as const) {
      await say(page, text);
      words.push(text);
    }
    await heard([customer, elisa], words);
    await two.start();
    await expect(live(gisele)).toBeVisible({ timeout: 90_000 });
    await heard([gisele], words);
    await expect(field(gisele)).toHaveValue('Estou de volta.');
    await gisele.getByRole('button', { name: 'Enviar', exact: true }).click();
    words.push('Estou de volta.');
    await heard([customer, elisa, gisele], words);

    // Without the bus each process still hears of the other's, by the database: later, and no less.
    await bus.dispose();
    await say(elisa, 'Voltou a operar.');
    words.push('Voltou a operar.');
    await heard([customer, elisa, gisele], words);
  } finally {
    for (const server of servers) await server.dispose();
    await bus.dispose();
  }
});
