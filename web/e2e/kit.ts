/** What every flow needs: signing in through the real screens, both skins under axe, pictures. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect, type Page, request } from '@playwright/test';
import axe from 'axe-core';

/** A flow. What it opens of the browser is closed at its end: a page left open goes on drawing live figures beside all later ones. */
export const test = base.extend<{ closed: undefined }>({
  closed: [
    async ({ browser }, use) => {
      await use(undefined);
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    { auto: true },
  ],
});

export interface Person {
  email: string;
  password: string;
}

export type Name = 'trader1' | 'trader2' | 'admin1' | 'admin2' | 'employee' | 'sales' | 'store';

/** A person of the demo: the password was drawn for this installation and lies in its secrets folder. */
export function demo(name: Name, folder = process.env.E2E_DATA_DIR): Person {
  if (!folder) throw new Error('E2E_DATA_DIR is not set: run tools/e2e');
  const password = readFileSync(join(folder, 'secrets', `demo_${name}.password`), 'utf8').trim();
  return { email: `${name}@arbora.example`, password };
}

/** Somebody's own view of the API, beside the pages: what they show is held against it. */
export interface Reader {
  get: <T>(path: string) => Promise<T>;
  post: <T>(path: string, data: unknown) => Promise<T>;
  close: () => Promise<void>;
}

export async function reader(baseURL: string, { email, password }: Person): Promise<Reader> {
  const calls = await request.newContext({ baseURL });
  const login = await calls.post('/api/auth/login', { data: { email, password } });
  expect(login.status()).toBe(200);
  const { token } = await login.json();
  return {
    get: async (path) => {
      const answer = await calls.get(`/api${path}`, { headers: { Authorization: `Bearer ${token}` } });
      expect(answer.status(), path).toBe(200);
      return answer.json();
    },
    post: async (path, data) => {
      const answer = await calls.post(`/api${path}`, { data, headers: { Authorization: `Bearer ${token}` } });
      expect(answer.status(), path).toBe(200);
      return answer.json();
    },
    close: () => calls.dispose(),
  };
}

/** A word to the demo's own database, for what only time would bring. */
export function tellDatabase(sql: string, folder = process.env.E2E_DATA_DIR) {
  if (!folder) throw new Error('E2E_DATA_DIR is not set: run tools/e2e');
  execFileSync('psql', ['-qX', '-h', join(folder, 'run'), '-U', 'arbora_owner', '-d', 'arbora', '-c', sql]);
}

/** A person gets a few mails and a few codes an hour, and notices above that wait for later ones; the flows, which share the demo's people,
 *  live through more of them than there is time for. Codes keep the time until which they are good. */
export function hoursPass() {
  tellDatabase(
    `UPDATE foundation.mail SET due_at = now() - interval '1 day' WHERE due_at > now() - interval '1 day';
     UPDATE identity.code SET created_at = created_at - interval '1 hour' WHERE created_at > now() - interval '1 hour'`,
  );
}

/** The newest mail to somebody, as the development mailbox shows it. */
export async function newestMail(page: Page, to: string, subject: RegExp): Promise<string> {
  const { mailbox } = await (await page.request.get('/api/config')).json();
  const reader = await page.context().newPage();
  try {
    const mail = reader.locator('article').filter({ hasText: to }).filter({ hasText: subject }).first();
    await expect(async () => {
      await reader.goto(`${mailbox}?to=${encodeURIComponent(to)}`);
      await expect(mail).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 90_000 });
    return await mail.innerText();
  } finally {
    await reader.close();
  }
}

/** Does what makes that somebody is written to, and gives this mail: a former try's is no answer, whatever it says. */
export async function mailAfter(
  page: Page,
  to: string,
  subject: RegExp,
  act: () => Promise<void>,
): Promise<string> {
  const { mailbox } = await (await page.request.get('/api/config')).json();
  const mails = async (): Promise<{ id: string; subject: string; text: string }[]> =>
    (await page.request.get(`${mailbox}.json`, { params: { to } })).json();
  const before = new Set((await mails()).map(({ id }) => id));
  await act();
  await expect
    .poll(
      async () =>
        (await mails()).some((mail) => !before.has(mail.id) && subject.test(`${mail.subject}\n${mail.text}`)),
      { message: `a mail to ${to} that says ${subject}`, timeout: 90_000 },
    )
    .toBe(true);
  return newestMail(page, to, subject);
}

/** What the server answers to the page's own call, `METHOD /path`, that something done there sends. By the id in it one's own row is
 *  told from those that a former try left. */
export async function answerTo<T>(page: Page, call: string, act: () => Promise<void>): Promise<T> {
  const heard = page.waitForResponse((response) => {
    const named = `${response.request().method()} ${new URL(response.url()).pathname.replace('/api', '')}`;
    // An access token that has run out is renewed, and the call made again.
    return named === call && response.status() !== 401;
  });
  const [response] = await Promise.all([heard, act()]);
  const text = await response.text();
  expect(response.ok(), `${call}: ${text}`).toBe(true);
  return JSON.parse(text);
}

/** A list's row. */
export const rowOf = (page: Page, id: string) => page.locator(`tr[data-row="${id}"]`);

/** The six digits of an authenticator (RFC 6238) for a base32 secret. */
export function totp(secret: string, at = Date.now()): string {
  const bits = [...secret.replace(/=+$/, '').toUpperCase()]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Signs in with e-mail and password; `code` answers the second step when there is one. */
export async function signIn(page: Page, person: Person, code?: () => Promise<string> | string) {
  hoursPass();
  await enterPassword(page, person, code);
}

/** The same without a demo's database, whose hours need not pass. */
export async function enterPassword(
  page: Page,
  { email, password }: Person,
  code?: () => Promise<string> | string,
) {
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Senha' }).fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
  if (code) await typeCode(page, await code());
  await expect(page.getByRole('navigation', { name: 'Menu principal' })).toBeAttached();
}

/** Six digits into the boxes of a code. */
export async function typeCode(page: Page, code: string) {
  await page.getByLabel('Dígito 1 de 6').click();
  await page.keyboard.type(code, { delay: 20 });
}

/** Everything that an address needs. */
export async function address(page: Page) {
  for (const [label, value] of [
    ['País', 'Brasil'],
    ['CEP', '01304-001'],
    ['Estado', 'SP'],
    ['Cidade', 'São Paulo'],
    ['Bairro', 'Consolação'],
    ['Rua', 'Rua Augusta'],
    ['Número', '1200'],
  ] as const)
    await page.getByRole('textbox', { name: label }).fill(value);
}

/** The address and the terms, the last two steps of a registration. */
export async function addressAndTerms(page: Page) {
  await address(page);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByLabel('Li e aceito os termos de uso.').check();
  await page.getByLabel('Li o aviso de risco').check();
  await page.getByLabel('Tenho 18 anos').check();
  await page.getByRole('button', { name: 'Criar conta' }).click();
}

/** Where a mail's link confirms an address. */
export function confirmationIn(mail: string): string {
  const link = mail.match(/https?:\/\/\S+\/verify-email\/\S+/)?.[0] ?? '';
  return new URL(link).pathname;
}

export async function signOut(page: Page) {
  await page.getByRole('button', { name: /^Conta de/ }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  await expect(page).toHaveURL(/\/login/);
}

export type Skin = 'dark' | 'light';
export const SKINS: readonly Skin[] = ['dark', 'light'];

/** Puts a skin on without a reload. */
export async function wear(page: Page, skin: Skin) {
  await page.evaluate((name) => {
    localStorage.setItem('mantine-color-scheme-value', name);
    document.documentElement.setAttribute('data-mantine-color-scheme', name);
  }, skin);
}

/** axe's own list, and tooltips: they belong to the control that they describe, wherever they lie in the document. */
const AXE: axe.RunOptions & Record<string, unknown> = {
  // What is right needs no list of its own.
  resultTypes: ['violations'],
  // No rule that runs reads the style sheets themselves; a video's is asked how long it is.
  preload: { assets: ['media'] },
  checks: {
    region: { options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], [role=tooltip], svg' } },
  },
};

/**
 * Lets nothing fade while axe looks: colours half-way would be measured. A transition that begins after the others were
 * waited for, as that of a late answer's list, would still be met, so all of them jump to their end from here on. What
 * keyframes move is waited for until two frames in a row rest; what moves for ever is not.
 */
async function rest(page: Page) {
  await page.evaluate(async () => {
    const marked = document.documentElement.dataset;
    if (!marked.rests) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        ':root[data-rests=yes] *, :root[data-rests=yes] *::before, :root[data-rests=yes] *::after { transition: none !important }',
      );
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    marked.rests = 'yes';
    const moves = () =>
      document.getAnimations().some((one) => one.effect?.getTiming().iterations !== Infinity);
    const frame = () => new Promise(requestAnimationFrame);
    const end = performance.now() + 1500;
    for (let still = 0; still < 2 && performance.now() < end; still = moves() ? 0 : still + 1) await frame();
  });
}

/** What moves may move again. */
async function move(page: Page) {
  await page.evaluate(() => {
    document.documentElement.dataset.rests = 'no';
  });
}

/** What axe finds in the page; a frame in it holds somebody's file, which is not ours. The program is long: it stays for the next look. Of
 *  what lies below a dialog axe cannot tell any colour, however long it tries: colours are looked for in the dialog alone then, all else
 *  everywhere. `colours` asks for nothing else. */
async function violations(page: Page, options: axe.RunOptions, colours = false): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const told = { options, colours };
  return page.evaluate(async ({ options, colours }) => {
    const skin = document.documentElement.getAttribute('data-mantine-color-scheme');
    const shell = '.mantine-AppShell-root';
    const contrast = 'color-contrast';
    const onlyColours = { ...options, runOnly: [contrast] };
    const allElse = { ...options, rules: { ...options.rules, [contrast]: { enabled: false } } };
    const below =
      document.querySelector('[role="dialog"][aria-modal="true"]') !== null &&
      document.querySelector(shell) !== null;
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    const results: axe.AxeResults[] = [];
    if (!below) results.push(await run(document, colours ? onlyColours : options));
    else {
      if (!colours) results.push(await run(document, allElse));
      results.push(await run({ exclude: [shell] }, onlyColours));
    }
    return results
      .flatMap(({ violations }) => violations)
      .flatMap(({ id, nodes }) =>
        nodes.map(
          (node) =>
            `${skin} ${id}: ${node.target.join(' ')} ${node.any[0]?.message ?? node.html.slice(0, 120)}`,
        ),
      );
  }, told);
}

/** axe finds nothing, in either skin. */
export async function expectAccessible(page: Page, skins: readonly Skin[] = SKINS) {
  const before = (await page.evaluate(() =>
    document.documentElement.getAttribute('data-mantine-color-scheme'),
  )) as Skin;
  for (const skin of skins) {
    await wear(page, skin);
    await rest(page);
    // A skin changes colours and nothing else.
    expect(await violations(page, AXE, skin !== skins[0])).toEqual([]);
  }
  await wear(page, before);
  await move(page);
}

/** Nothing is wider than the window; the layout follows a new size within a frame or two. */
export async function fits(page: Page, what = 'the page') {
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), what)
    .toBeLessThanOrEqual(0);
}

/** A picture for people to look at, under test-results/look, when `PICTURES` is set: nobody looks at every run. */
export async function picture(page: Page, name: string) {
  if (!process.env.PICTURES) return;
  await page.screenshot({ path: `test-results/look/${name}.png`, fullPage: true, animations: 'disabled' });
}

/** A picture of that size, drawn by the page's browser: no camera, and no screenshot, which a busy machine now and then cannot take. */
export async function drawn(page: Page, width: number, height: number, type = 'image/png'): Promise<Buffer> {
  const url = await page.evaluate(
    ([width, height, type]) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const pen = canvas.getContext('2d');
      const fading = pen?.createLinearGradient(0, 0, width, height);
      fading?.addColorStop(0, '#0f9d6c');
      fading?.addColorStop(1, '#e0b34b');
      if (pen && fading) pen.fillStyle = fading;
      pen?.fillRect(0, 0, width, height);
      return canvas.toDataURL(type, 0.8);
    },
    [width, height, type] as const,
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

const PHONE = { width: 390, height: 844 };

/** Dark, light and on a phone: pictures, axe, nothing wider than the screen; then as it was. */
export async function everywhere(page: Page, name: string) {
  const size = page.viewportSize();
  await page.waitForLoadState('networkidle');
  await picture(page, `${name}-dark`);
  await expectAccessible(page);
  await fits(page, name);
  await wear(page, 'light');
  await picture(page, `${name}-light`);
  await wear(page, 'dark');
  await page.setViewportSize(PHONE);
  await fits(page, `${name} on a phone`);
  await picture(page, `${name}-phone`);
  await expectAccessible(page, ['dark']);
  if (size) await page.setViewportSize(size);
}
