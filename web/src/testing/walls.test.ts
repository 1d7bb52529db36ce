/** The walls of the house, as a test: Biome sees how an import is written, this sees where it leads. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { QUEUES } from '@/api/queues';
import { pageOf } from '@/api/screens';
import type { EventKind } from '@/live/protocol';

const src = resolve(import.meta.dirname, '..');
const walk = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
const files = walk(src).filter((path) => /\.tsx?$/.test(path) && !path.endsWith('schema.d.ts'));
const inTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith(join(src, 'testing'));

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target ?? '');
  return found.flatMap((target) => {
    if (target.startsWith('@/')) return [join(src, target.slice(2))];
    return target.startsWith('.') ? [resolve(dirname(path), target)] : [];
  });
}
const place = (path: string) => relative(src, path).split('/');

test('ui, api, live and i18n know no room and no app; rooms know no other room; what two of them need is a shared room', () => {
  const broken: string[] = [];
  for (const path of files) {
    if (inTest(path)) continue;
    const [floor = '', room = ''] = place(path);
    for (const target of imports(path)) {
      const [otherFloor = '', otherRoom = ''] = place(target);
      const low = ['ui', 'api', 'live', 'i18n', 'shared'].includes(floor);
      if (low && (otherFloor === 'rooms' || otherFloor === 'app'))
        broken.push(`${relative(src, path)} → ${otherFloor}`);
      if (floor === 'rooms' && (otherFloor === 'app' || (otherFloor === 'rooms' && otherRoom !== room)))
        broken.push(`${relative(src, path)} → ${otherFloor}/${otherRoom}`);
    }
  }
  expect(broken).toEqual([]);
});

test('the dependencies of the floors point one way: i18n, then api, then live, then ui, then shared', () => {
  const order = ['i18n', 'api', 'live', 'ui', 'shared', 'rooms', 'app'];
  const broken: string[] = [];
  for (const path of files) {
    if (inTest(path)) continue;
    const at = order.indexOf(place(path)[0] ?? '');
    for (const target of imports(path)) {
      const other = order.indexOf(place(target)[0] ?? '');
      if (at >= 0 && other > at) broken.push(`${relative(src, path)} → ${relative(src, target)}`);
    }
  }
  expect(broken).toEqual([]);
});

/** What the product is about. `ui/` is about forms, tables and numbers: what says one of these words is a room's, or a shared room's. */
const BUSINESS =
  /deposit|withdraw|payout|licen[cs]e|robot|loan|approv|sponsor|complian|affiliat|transfer|wallet|ticket|\bpools?\b|\bpix\b|\bqueues?\b|\bbonus|\bstatement|decision|receipt|\bchain\b/i;

test('ui has no business words and no types of a room: those are of rooms and shared rooms', () => {
  const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const broken = files
    .filter((path) => !inTest(path) && place(path)[0] === 'ui')
    .flatMap((path) => {
      const text = code(readFileSync(path, 'utf8'));
      const found = [
        BUSINESS.exec(relative(src, path).replace(/([a-z])([A-Z])/g, '$1 $2'))?.[0],
        // A name in one piece is read word by word.
        BUSINESS.exec(text.replace(/([a-z])([A-Z])/g, '$1 $2'))?.[0],
        /\bSchemas\b/.exec(text)?.[0],
        // Of the texts only those that all screens share, and those of lists.
        /useTranslation\('(?!lists')[^']*'\)/.exec(text)?.[0],
        // Of what lives only how facts come in, not which accounts, robots or queues there are.
        /'@\/live\/(?!live'|protocol')[^']*'/.exec(text)?.[0],
      ];
      return found.flatMap((word) => (word ? [`${relative(src, path)}: ${word}`] : []));
    });
  expect(broken).toEqual([]);
});

test('a list of the server is a `useList`: paging, order and filters have one reader', () => {
  const others = files.filter(
    (path) =>
      !inTest(path) &&
      place(path)[0] === 'rooms' &&
      /limit: table\.limit|query: (table|list)\.query|\.\.\.table\.query/.test(readFileSync(path, 'utf8')),
  );
  expect(others.map((path) => relative(src, path))).toEqual([]);
});

test('a list begins with ten lines, but for those that are read in one go', () => {
  const longer = {
    'rooms/affiliates/ReferencesPage.tsx': 50,
    'rooms/sponsorship/SponsorshipPage.tsx': 100,
    'rooms/support/TicketsListPage.tsx': 100,
    'rooms/withdrawals/PayoutQueuePage.tsx': 100,
  };
  const found = files
    .filter((path) => !inTest(path))
    .flatMap((path) =>
      [
        // Where a list is made, and where its part of the kit has a default of its own.
        ...readFileSync(path, 'utf8').matchAll(
          /\b(?:use(?:Open|Queue)?List|useTableQuery)\((?:(?!\n {2}\}\)|;\n)[\s\S])*?\blimit:? ?[:=] (\d+)|\blimit(?:: \w+)? = (?!10\b)(\d+)/g,
        ),
      ].map(([, asked, standing]) => [relative(src, path), Number(asked ?? standing)]),
    );
  expect(Object.fromEntries(found)).toEqual(longer);
});

test('a page renews nothing by hand: what a call makes untrue stands beside the call', () => {
  // Asked again because time has passed, a fact has come or somebody wants to: that is no call's doing.
  const allowed = /onEnd=|onRetry=|useLiveEvent\(|const (renew|again) = /;
  const places = files
    .filter((path) => !inTest(path) && ['rooms', 'shared', 'ui'].includes(place(path)[0] ?? ''))
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /invalidateQueries|\brefetch\w*\(/.test(line) && !allowed.test(line))
        .map((line) => `${relative(src, path)}: ${line.trim()}`),
    );
  expect(places).toEqual([]);
});

test('a call that changes something is a `mutation`, with what it makes untrue beside it', () => {
  // Asks, or changes nothing that a list shows. Who signs in, or changes how, has a profile that is read anew: that is identity's.
  const bare =
    /^'(\/security-code(\/passkey(\/proof)?)?|.*\/(quote|preview|verify)|\/auth\/logout|\/dev\/faucet|\/web3\/reveal-secret-phrase|\/admin\/withdraw-pix\/\{id\}\/key|\/content\/\{id\}\/progress)'$/;
  const outside = (text: string): string => {
    const at = text.search(/\bmutation\(\{/);
    if (at < 0) return text;
    let depth = 0;
    let end = text.indexOf('(', at);
    do {
      if (text[end] === '(') depth++;
      if (text[end] === ')') depth--;
      end++;
    } while (depth > 0 && end < text.length);
    return text.slice(0, at) + outside(text.slice(end));
  };
  const calls = files
    .filter((path) => !inTest(path) && !relative(src, path).startsWith('rooms/identity/'))
    .flatMap((path) =>
      [
        ...outside(readFileSync(path, 'utf8')).matchAll(
          /\bapi\.(?:POST|PATCH|PUT|DELETE)\(\s*([^,)]*)|(?<!function )\bupload(?:<[^(]*>)?\(/g,
        ),
      ]
        .filter(([, called = '']) => !bare.test(called))
        .map(([call]) => `${relative(src, path)}: ${call}`),
    );
  expect(calls).toEqual([]);
});

test('a form goes to the server by `useSubmit`: no lock, no key and no "busy" of its own', () => {
  const kit = 'ui/useSubmit.ts';
  const byHand: readonly (readonly [string, RegExp])[] = [
    ['a state of its own', /\[(busy|sending|saving|submitting|posting|pending|locked|inFlight)\w*, set/i],
    ['set before the call', /set[A-Z]\w*\(true\);\s*(set[A-Z]\w*\([^;]*;\s*)*try \{/],
    ['set back after it', /finally \{\s*(\w+\.current = [^;]*;\s*)*set[A-Z]\w*\(false\)/],
    ['a lock of its own', /\b(locked|busy|sending)\.current\b/],
    ['a mutation with its own state', /useMutation\(/],
  ];
  const broken = files
    .filter((path) => !inTest(path) && relative(src, path) !== kit)
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const place = relative(src, path);
      const found = byHand.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${place}: ${what}`);
      const own =
        place.endsWith('.tsx') && /import \{[^}]*\bidempotencyKey\b[^}]*\} from '@\/api\/client'/.test(text);
      return own ? [...found, `${place}: a key of its own`] : found;
    });
  expect(broken).toEqual([]);
});

test("a date is typed and picked the reader's way: no native field, which speaks the language of the browser", () => {
  const native = files.filter(
    (path) =>
      !inTest(path) &&
      /type=(\{)?["'](date|datetime-local|month|week|time)["']/.test(readFileSync(path, 'utf8')),
  );
  expect(native.map((path) => relative(src, path))).toEqual([]);
});

test('no file outgrows a screenful of purpose', () => {
  const long = files.filter((path) => readFileSync(path, 'utf8').split('\n').length > 500);
  expect(long.map((path) => relative(src, path))).toEqual([]);
});

test('a class that is written as a word is one of the styles of all screens', () => {
  const known = new Set(
    [...readFileSync(join(src, 'app/styles.css'), 'utf8').matchAll(/\.([a-z][\w-]*)/g)].map(
      ([, name]) => name,
    ),
  );
  const shown = files.filter((path) => !inTest(path));
  const unknown = shown.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/className="([^"]+)"/g)]
      .flatMap(([, names = '']) => names.split(' '))
      .filter((name) => !known.has(name))
      .map((name) => `${relative(src, path)}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('one file draws bars and areas, so that all of them follow its rules', () => {
  const others = files.filter(
    (path) =>
      !inTest(path) &&
      relative(src, path) !== 'ui/HistoryPlot.tsx' &&
      /from 'recharts'|\b(Bar|Area|Composite)Chart\b/.test(readFileSync(path, 'utf8')),
  );
  expect(others.map((path) => relative(src, path))).toEqual([]);
});

test('what scrolls sideways can be scrolled with the keys', () => {
  const broken = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/<Table\.ScrollContainer\b[\s\S]*?\n? *>\n/g)]
      .filter(([tag]) => !tag.includes('tabIndex'))
      .map(([tag]) => `${relative(src, path)}: ${tag}`),
  );
  expect(broken).toEqual([]);
});

test('the pages are tried with one clock, which the stub sets', () => {
  const face = resolve(src, '../e2e/face');
  const others = walk(face).filter((path) => !['clock.ts', 'stub.ts'].includes(relative(face, path)));
  const broken = others.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/Date\.now\(\)|new Date\(\)|clock\.(install|pauseAt)\(/g)].map(
      ([said]) => `${relative(face, path)}: ${said}`,
    ),
  );
  expect(others.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test("a queue's name stands in the generated table alone", () => {
  // Words of the language, and `pool_revenue`, name other things too and cannot be told apart, but where they are compared.
  const names = Object.values(QUEUES)
    .flatMap(({ id, counter }) => [id, counter])
    .filter((name) => name !== null && /[-_]/.test(name) && name !== QUEUES.poolRevenue.counter);
  const byHand = new RegExp(`'(${names.join('|')}|queue:[^']*)'|\\bqueue [!=]== '`, 'g');
  const written = files
    .filter((path) => !inTest(path) && relative(src, path) !== 'api/queues.ts')
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(byHand)].map(([text]) => `${relative(src, path)}: ${text}`),
    );
  expect(written).toEqual([]);
});

test("a queue's list, screen and stream are read from the generated table", () => {
  const quoted = Object.values(QUEUES)
    .flatMap(({ list, screen, stream }) => [list, screen, pageOf({ screen }), stream ?? screen])
    .map((text) => text.replace(/[.?/]/g, '\\$&'));
  // Whole, or with what is asked of it; a longer path is another call or page.
  const byHand = new RegExp(`(['"\`])(${[...new Set(quoted)].join('|')})(?=\\1|[?&#])`, 'g');
  const written = files
    .filter((path) => !inTest(path) && relative(src, path) !== 'api/queues.ts')
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(byHand)].map(([, , text]) => `${relative(src, path)}: ${text}`),
    );
  expect(written).toEqual([]);
});

test('nothing is cast past the compiler', () => {
  const cast = /\bas unknown as\b|\bas (never|any)\b|@ts-(ignore|expect-error|nocheck)/g;
  const casting = files
    .filter((path) => relative(src, path) !== 'testing/walls.test.ts')
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(cast)].map(([text]) => `${relative(src, path)}: ${text}`),
    );
  expect(casting).toEqual([]);
});

test('every kind of fact reaches somebody, or a line of the notifications tells it', () => {
  const lines: readonly EventKind[] = [
    'queue.old',
    'tickets.wait',
    'desk.halted',
    'account_closing.late',
    'administrator.guarded',
    'chain.reorganised',
    'loan.called',
    'sponsorship.changed',
    'account.decided',
    'push_device.removed',
    'licence.manual_key',
  ];
  const document = JSON.parse(readFileSync(join(src, '../openapi.json'), 'utf8'));
  const variants: { properties: { kind: { enum: [EventKind] } } }[] =
    document.components.schemas.LiveEvent.oneOf;
  const kinds = variants.map(({ properties }) => properties.kind.enum[0]);
  const code = files
    .filter((path) => !inTest(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  expect(kinds.filter((kind) => !code.includes(`'${kind}'`)).sort()).toEqual([...lines].sort());
});

test('the password of now is asked for by one part', () => {
  const askers = files
    .filter((path) => !inTest(path) && readFileSync(path, 'utf8').includes('"current-password"'))
    .map((path) => relative(src, path));
  // The sign-in's own field stands beside the e-mail.
  expect(askers.sort()).toEqual(['rooms/identity/Credentials.tsx', 'rooms/identity/CurrentPassword.tsx']);
});

test('a handle that stands alone is written by what knows who has left', () => {
  const writers = files
    .filter((path) => !inTest(path) && /`@\$\{[^}]*\}`|>@\{[^}]*\}</.test(readFileSync(path, 'utf8')))
    .map((path) => relative(src, path));
  // One's own, below or beside the whole name, or what somebody is looked for by.
  expect(writers.sort()).toEqual([
    'app/shell/UserMenu.tsx',
    'rooms/identity/account/AboutCard.tsx',
    'rooms/people/SponsorField.tsx',
    'rooms/people/Summary.tsx',
    'rooms/support/CustomerCard.tsx',
    'rooms/transfers/SendTransfer.tsx',
    'shared/network/useMemberName.ts',
    'shared/people/Finances.tsx',
    'shared/people/PersonCell.tsx',
    'shared/people/PersonFilter.tsx',
  ]);
});
