/** Writes what the pages need of the API document as values: `node constants.mjs <document> <folder>`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [source, folder] = process.argv.slice(2);
const document = JSON.parse(readFileSync(source, 'utf8'));

const camel = (words) => words.replace(/[- ](\w)/g, (_, letter) => letter.toUpperCase());
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const fields = (object, indent) =>
  Object.entries(object)
    .map(([name, value]) => `${indent}${name}: ${literal(value)},\n`)
    .join('');
const write = (file, what, text) =>
  writeFileSync(
    join(folder, file),
    `/** Written by \`make generate\` from the API document: ${what}. Not to be edited. */\n${text}`,
  );

const queue = ({ id, permission, stream, counter, customers, list, screen }) =>
  `  ${camel(id)}: {\n${fields({ id, permission, stream, counter, customers, list, screen }, '    ')}  },\n`;
write(
  'queues.ts',
  'what staff decide in, most urgent first (`x-queues`)',
  `export const QUEUES = {
${document['x-queues'].map(queue).join('')}} as const;

export type QueueRow = (typeof QUEUES)[keyof typeof QUEUES];
`,
);

const { closes } = document.paths['/api/ws'].get['x-websocket'];
const codes = Object.fromEntries(closes.map(({ code, reason }) => [camel(reason), code]));
write(
  'closeCodes.ts',
  'why a socket was closed (`x-websocket`)',
  `export const CLOSE = {\n${fields(codes, '  ')}} as const;\n`,
);
