// Lists as files, opened by a real spreadsheet in the three languages: `node tools/spreadsheets.mjs ADDRESS FOLDER CUSTOMER_PASSWORD
// STAFF_PASSWORD`, of a running demo. What LibreOffice reads is what was written, cell by cell, numbers as numbers; split at any other
// separator, nothing of it is a formula.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [address, folder, customerPassword, staffPassword] = process.argv.slice(2);
const LANGUAGES = [
  { tag: 'pt', id: 1046, separator: ';', decimal: ',' },
  { tag: 'es', id: 3082, separator: ';', decimal: ',' },
  { tag: 'en', id: 1033, separator: ',', decimal: '.' },
];
const SEPARATORS = [';', ',', '\t', '|'];
const LISTS = {
  tickets: '/support/list-tickets-all/',
  balances: '/admin/balance-manager',
  people: '/admin/users-list/',
};
// A formula at the beginning, behind every separator, in quotes and behind blanks.
const SUBJECT = '=1+1;=1+1,=1+1|=1+1; "=1+1", \'=1+1';
const PATIENCE = 180_000;

async function call(path, token, options = {}) {
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${address}api${path}`, { ...options, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
  return text;
}

const posted = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function signIn(who, password) {
  const { token } = JSON.parse(
    await call('/auth/login', '', posted({ email: `${who}@arbora.example`, password })),
  );
  if (!token) throw new Error(`${who} was not signed in`);
  return token;
}

/** The rows of a file as its writer meant them: texts, and whether they stood in quotes. */
function cells(text, separator) {
  const rows = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${separator}]*))(${separator}|\\r\\n|$)`, 'gy');
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    rows.at(-1).push({ text: quoted?.replaceAll('""', '"') ?? plain, quoted: quoted !== undefined });
    if (end === '\r\n') rows.push([]);
    else if (end === '') break;
  }
  rows.pop();
  return rows;
}

const plainText = (xml) =>
  [...xml.matchAll(/<text:p[^>]*?(?:\/>|>(.*?)<\/text:p>)/gs)]
    .map(([, inner = '']) =>
      inner
        .replace(/<text:s(?: text:c="(\d+)")?\/>/g, (_, count) => ' '.repeat(Number(count ?? 1)))
        .replaceAll('<text:tab/>', '\t')
        .replace(/<[^>]*>/g, ''),
    )
    .join('\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

/** What the spreadsheet made of a file, without the empty cells behind. */
function sheet(xml) {
  const rows = [];
  for (const [, same, inner = ''] of xml.matchAll(
    /<table:table-row\b([^>]*?)(?:\/>|>(.*?)<\/table:table-row>)/gs,
  )) {
    const row = [];
    for (const [, marks, content = ''] of inner.matchAll(
      /<table:table-cell\b((?:[^>"]|"[^"]*")*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs,
    )) {
      const mark = (name) => marks.match(new RegExp(` ${name}="([^"]*)"`))?.[1];
      const found = {
        type: mark('office:value-type') ?? 'none',
        value: mark('office:value'),
        formula: mark('table:formula'),
        text: plainText(content),
      };
      // An empty cell that is repeated thousands of times fills the row's end.
      const times = Math.min(Number(mark('table:number-columns-repeated') ?? 1), 99);
      for (let time = 0; time < times; time += 1) row.push(found);
    }
    while (row.at(-1)?.type === 'none') row.pop();
    const times = row.length > 0 ? Number(same.match(/number-rows-repeated="(\d+)"/)?.[1] ?? 1) : 1;
    for (let time = 0; time < times; time += 1) rows.push(row);
  }
  return rows;
}

/** Opens the files as a spreadsheet of the language does that splits at this. */
function opened(language, separator, names) {
  const out = join(folder, `${language.tag}-${separator.charCodeAt(0)}`);
  mkdirSync(out, { recursive: true });
  // Separator, quotes, UTF-8, from the first line, columns as they are, language, what stands in quotes is read like the rest, numbers and
  // days are recognised, four that matter to what is written alone, the first sheet, formulas are computed.
  const how = [separator.charCodeAt(0), 34, 76, 1, '', language.id, false, true, false, false, false, 0, true];
  const done = spawnSync(
    'soffice',
    [
      `-env:UserInstallation=file://${join(folder, 'office')}`,
      '--headless',
      '--convert-to',
      'fods',
      `--infilter=Text - txt - csv (StarCalc):${how.join(',')}`,
      '--outdir',
      out,
      ...names.map((name) => join(folder, `${language.tag}-${name}.csv`)),
    ],
    { encoding: 'utf8', timeout: PATIENCE },
  );
  if (done.status !== 0) throw new Error(`LibreOffice: ${done.error ?? done.stderr}`);
  return names.map((name) => sheet(readFileSync(join(out, `${language.tag}-${name}.fods`), 'utf8')));
}

const problems = [];
const customer = await signIn('trader1', customerPassword);
const staff = await signIn('admin1', staffPassword);
await call(
  '/support/open-ticket',
  customer,
  posted({ category: 'other', subject: SUBJECT, description: '=1+1' }),
);
const names = Object.keys(LISTS);
// All of them before the first is opened: a connection does not outlive the wait for a spreadsheet.
const files = new Map();
for (const language of LANGUAGES) {
  const written = [];
  for (const name of names) {
    const headers = { 'accept-language': language.tag };
    const file = (await call(`${LISTS[name]}?format=csv`, staff, { headers })).replace(/^\ufeff/, '');
    writeFileSync(join(folder, `${language.tag}-${name}.csv`), `\ufeff${file}`);
    written.push(cells(file, language.separator));
  }
  files.set(language, written);
}
let numbers = 0;
for (const [language, written] of files) {
  if (!written[0].some((row) => row.some(({ text }) => text.endsWith(`'=1+1`) && text.includes(language.separator))))
    problems.push(`${language.tag}: the ticket is not in its list`);
  for (const separator of SEPARATORS) {
    for (const [nth, read] of opened(language, separator, names).entries()) {
      const where = `${language.tag}, ${names[nth]}, split at ${JSON.stringify(separator)}`;
      for (const cell of read.flat())
        if (cell.formula !== undefined) problems.push(`${where}: ${cell.formula} is a formula`);
      if (separator !== language.separator) continue;
      if (read.filter((row) => row.length > 0).length !== written[nth].length)
        problems.push(`${where}: ${read.length} rows of ${written[nth].length}`);
      for (const [line, row] of written[nth].entries())
        for (const [place, { text, quoted }] of row.entries()) {
          const cell = read[line]?.[place] ?? { type: 'none', text: '' };
          const at = `${where}, ${line + 1}:${place + 1}`;
          const number = new RegExp(`^-?\\d+(?:\\${language.decimal}\\d+)?$`).test(text);
          if (number && !quoted) {
            numbers += 1;
            if (cell.type !== 'float' || Number(cell.value) !== Number(text.replace(',', '.')))
              problems.push(`${at}: ${text} is ${cell.type} ${cell.value ?? cell.text}`);
          } else if (cell.type !== 'date' && cell.text !== text)
            problems.push(`${at}: ${JSON.stringify(text)} is ${JSON.stringify(cell.text)}`);
        }
      if (written[nth].some((row, line) => (read[line]?.length ?? 0) > row.length))
        problems.push(`${where}: more cells than were written`);
    }
  }
}
for (const problem of problems.slice(0, 20)) console.error(`error: ${problem}`);
console.log(`${numbers} numbers read as numbers, ${problems.length} faults`);
process.exit(problems.length === 0 && numbers > 0 ? 0 : 1);
