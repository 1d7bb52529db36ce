/** All that the product's specification names is there: its calls in the document, the table of routes and a test of the server's; its
 *  screens in the table of pages and a browser test; its messages word for word, and shown; its figures where the code says them, and tested.
 *  What is taken away is missed here by its name. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { QUEUES } from '@/api/queues';
import { pages } from '@/app/pages';
import { publicPages } from '@/app/publicPages';
import { calls, literal, opens } from './everything/asked';
import { CALLS, type Call, SUPPLIED } from './everything/calls';
import { CONSTANTS, WORDS } from './everything/constants';
import { MESSAGES } from './everything/messages';
import { SCREENS } from './everything/screens';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => {
  const whole = join(root, path);
  return existsSync(whole) ? readFileSync(whole, 'utf8') : '';
};
const walk = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    return statSync(join(root, path)).isDirectory() ? walk(path) : [path];
  });

interface Schema {
  $ref?: string;
  enum?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  default?: unknown;
  maximum?: number;
}
interface Parameter {
  in: string;
  name: string;
  schema: Schema;
}
type Bodies = Readonly<Record<string, { schema: Schema }>>;
interface Operation {
  parameters?: readonly Parameter[];
  requestBody?: { content: Bodies };
  responses: Readonly<Record<string, { content?: Bodies }>>;
}
interface ApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}
const api: ApiDocument = JSON.parse(read('web/openapi.json'));

/** The fields of a schema, of all its parts and choices, and of the rows where it is a list. */
function fieldsOf(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  if (!schema) return {};
  const named = schema.$ref?.split('/').at(-1);
  if (named !== undefined) return fieldsOf(api.components.schemas[named]);
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  if (schema.items) parts.push(schema.items);
  return Object.assign({}, ...parts.map(fieldsOf), schema.properties);
}
function holds(schema: Schema | undefined, path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  const field = fieldsOf(schema)[first];
  return field !== undefined && (rest.length === 0 || holds(field, rest.join('.')));
}
const words = (text: string | undefined) => (text ?? '').split(' ').filter((word) => word !== '');
const parted = ({ call }: Call) => {
  const [method = '', path = ''] = call.split(' ');
  return { method, path };
};
const operationOf = (call: Call): Operation | undefined => {
  const { method, path } = parted(call);
  return api.paths[`/api${path}`]?.[method.toLowerCase()];
};
const queryOf = (operation: Operation | undefined) =>
  new Map(
    (operation?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) => [name, schema] as const),
  );
/** What the call answers where it is done, as JSON. */
const answerOf = (operation: Operation | undefined) =>
  ['200', '201'].flatMap((status) => operation?.responses[status]?.content?.['application/json'] ?? [])[0]
    ?.schema;

const PERMISSIONS: Readonly<Record<string, string>> = {
  AdminDashboard: 'admin_dashboard',
  AdminPermissions: 'admin_permissions',
  ListUsers: 'customer-service_list-users',
  RegisteredUser: 'registered-user',
  ResponseTicket: 'customer-service_response-ticket',
  UserEdit: 'customer-service_user-edit',
  UserView: 'customer-service_user-view',
};
/** Who sees a queue stands in its own table; who decides there is who may change the money, but for tickets. */
function permissionOf(access: string): string {
  const [, how = '', what = ''] = /^(\w+)\((\w+)\)$/.exec(access) ?? [];
  if (how === 'Holds') return PERMISSIONS[what] ?? access;
  const queue = Object.entries(QUEUES).find(([name]) => name.toLowerCase() === what.toLowerCase());
  if (how === 'sees') return queue?.[1].permission ?? access;
  if (how === 'decides') return what === 'Tickets' ? 'customer-service_response-ticket' : 'admin_permissions';
  return access;
}
const ROUTES = new Map<string, string>(
  [
    ...read('server/src/routes.rs').matchAll(
      /^ +(GET|POST|PATCH|DELETE) +"([^"]+)" +(\w+(?:\(\w+\))?), \w+/gm,
    ),
  ].map(([, method, path, access = '']) => [`${method} ${path}`, permissionOf(access)] as const),
);

describe('calls', () => {
  test('each is written down once: 88, and those whose path is supplied', () => {
    expect(new Set(CALLS.map(({ call }) => call)).size).toBe(88);
    expect(CALLS.length).toBe(88);
    expect(SUPPLIED.length).toBe(3);
  });

  test.each([...CALLS, ...SUPPLIED].map((call) => [call.call, call] as const))('%s', (_, call) => {
    const operation = operationOf(call);
    expect(operation, 'in the document').toBeDefined();
    expect(ROUTES.get(call.call), 'who may call it').toBe(call.who);
    const query = queryOf(operation);
    expect(
      words(call.query).filter((name) => !query.has(name)),
      'what it is asked with',
    ).toEqual([]);
    const body = Object.values(operation?.requestBody?.content ?? {})[0]?.schema;
    expect(
      words(call.body).filter((name) => !holds(body, name)),
      'what it is sent',
    ).toEqual([]);
    const answer = answerOf(operation);
    expect(
      words(call.answer).filter((name) => !holds(answer, name)),
      'what it answers',
    ).toEqual([]);
    const defaults: Readonly<Record<string, unknown>> = {
      ...call.defaults,
      ...(call.limit !== undefined && { limit: call.limit }),
    };
    for (const [name, value] of Object.entries(defaults))
      expect(query.get(name)?.default, `${name}, left out`).toBe(value);
    const { method, path } = parted(call);
    expect(calls(read(`server/tests/api/${call.tried}`), method, path), `${call.tried} calls it`).toBe(true);
  });

  test('a list that names no limit of its own has 10 rows, at most 500, from page 1, the newest first', () => {
    const own = new Map<string, number>(
      [...CALLS, ...SUPPLIED].flatMap((call) =>
        call.limit === undefined ? [] : [[`/api${parted(call).path}`, call.limit] as const],
      ),
    );
    // Leaders are ranked.
    const ranked = ['/api/trader/leaders'];
    const wrong: string[] = [];
    let lists = 0;
    for (const [path, { get }] of Object.entries(api.paths)) {
      const query = queryOf(get);
      if (!query.has('page')) continue;
      lists++;
      const says = (name: string, value: unknown, part: 'default' | 'maximum' = 'default') => {
        const schema = query.get(name);
        if (schema && schema[part] !== value) wrong.push(`${path}: ${part} of ${name}`);
      };
      says('page', 1);
      says('limit', own.get(path) ?? 10);
      says('limit', 500, 'maximum');
      says('sortdirection', 'desc');
      if (!ranked.includes(path)) says('sortby', 'created_at');
    }
    expect(wrong).toEqual([]);
    expect(lists).toBeGreaterThan(40);
  });
});

describe('screens', () => {
  const opened = [...publicPages, ...pages].map(({ path }) => path);

  test('each is written down: 53', () => {
    expect(Object.keys(SCREENS).length).toBe(53);
  });

  test.each(Object.entries(SCREENS))('%s', (path, file) => {
    expect(opened).toContain(path);
    expect(opens(read(`web/e2e/${file}`), path), `${file} goes there`).toBe(true);
  });
});

describe('messages', () => {
  const texts = (language: string, name: string): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    const into = (value: unknown, key: string) => {
      if (typeof value === 'string') found.set(key, value);
      else
        for (const [name, inner] of Object.entries(value ?? {})) into(inner, key ? `${key}.${name}` : name);
    };
    into(JSON.parse(read(`web/src/i18n/${language}/${name}.json`) || '{}'), '');
    return found;
  };
  const code = walk('web/src')
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.startsWith('web/src/testing/'))
    .map(read)
    .join('\n');

  test('each is written down: 17, and the one of orders without rows', () => {
    expect(new Set(MESSAGES.map(({ said }) => said)).size).toBe(18);
  });

  test.each(MESSAGES.map((message) => [message.said, message] as const))('%s', (said, message) => {
    const { language, pt = said, texts: name, shown, as = pt } = message;
    const keys = [...texts(language, name)].filter(([, text]) => text === said).map(([key]) => key);
    expect(keys, `${language}/${name}.json`).not.toEqual([]);
    const portuguese = texts('pt', name);
    expect(
      keys.map((key) => portuguese.get(key)),
      `pt/${name}.json`,
    ).toContain(pt);
    // Whole, or its last part where what comes before is chosen as one goes.
    const asked = keys.filter((key) => {
      const last = key.split('.').at(-1) ?? key;
      return code.includes(`$.${key}`) || code.includes(`.${last}`) || code.includes(`'${last}'`);
    });
    expect(asked, 'asked for by a screen').not.toEqual([]);
    expect(read(`web/e2e/${shown}`), shown).toContain(as);
  });
});

describe('figures and rules', () => {
  test('each is written down: 32, and 11 sets of words', () => {
    expect(new Set(CONSTANTS.map(({ what }) => what)).size).toBe(32);
    expect(CONSTANTS.length).toBe(32);
    expect(Object.keys(WORDS).length).toBe(11);
  });

  test.each(CONSTANTS.map((one) => [one.what, one] as const))('%s', (_, { stands, tried }) => {
    const missing = stands.filter(([file, text]) => !read(file).includes(text));
    expect(missing, 'where the code says so').toEqual([]);
    const untried = tried.filter(([file, title]) => {
      const titled = file.endsWith('.rs')
        ? new RegExp(`\\bfn ${title}\\(`)
        : new RegExp(`\\(\\s*(['"\`])${literal(title)}\\1`);
      return !titled.test(read(file));
    });
    expect(untried, 'where it is shown').toEqual([]);
    expect(tried.length).toBeGreaterThan(0);
  });

  test.each(Object.entries(WORDS))('%s has its words', (name, set) => {
    const known = api.components.schemas[name]?.enum ?? [];
    expect(set.filter((word) => !known.includes(word))).toEqual([]);
  });
});
