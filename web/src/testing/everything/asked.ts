/** What a test does, read off its text: a call that it makes, by method and path, and a screen that it goes to. That a path is mentioned
 *  says nothing: one path has several methods, and a screen that is only linked to was not opened. */

export const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Long enough for whatever stands before a path within its own statement. */
const REACH = 600;
const before = (text: string, index: number) => text.slice(Math.max(0, index - REACH), index);

/** A path as tests write it: something, or the name of something, where it has a name; several side by side may be one. */
const writtenAs = (path: string) =>
  new RegExp(
    `"${path
      .split(/((?:\/\{\w+\})+)/)
      .map((part) =>
        part.startsWith('/{')
          ? `(?:/(?:\\{[^}"]*\\}|[^"/?{}]+)){1,${part.split('/').length - 1}}`
          : literal(part),
      )
      .join('')}(?=["?])`,
    'g',
  );

/** The client's own words for a method: a file is sent by a post. */
const WORDS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: '(?:post|upload)',
  PATCH: 'patch',
  DELETE: 'delete',
};
const made = (method: string) => `(?:\\.${WORDS[method]}\\(|\\bMethod::${method},)\\s*&?`;

/** Whether a test of the server's makes a call: the path is handed to the client's method, by itself or under the name that it has got in
 *  its function: a `let`, or one after the other in a `for`. */
export function calls(text: string, method: string, path: string): boolean {
  const handed = new RegExp(`${made(method)}(?:format!\\(\\s*)?$`);
  return [...text.matchAll(writtenAs(path))].some(({ index }) => {
    const so = before(text, index);
    if (handed.test(so)) return true;
    const name = /\b(?:let|for) (\w+) (?:=\s*|in \[[^\]]*)&?(?:format!\(\s*)?$/.exec(so)?.[1];
    if (name === undefined) return false;
    const after = text.slice(index);
    // To the function's end, or to where the name becomes another path's.
    const end = after.search(new RegExp(`\\n\\}|\\blet ${name} =|\\bfor ${name} in\\b`));
    return new RegExp(`${made(method)}${name}\\b`).test(end < 0 ? after : after.slice(0, end));
  });
}

/** A screen's path as browser tests write it. */
const addressOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((part) =>
      part.startsWith(':') ? `(?:/[^'"\`/?\\s]+)${part.endsWith('?') ? '?' : ''}` : `/${literal(part)}`,
    )
    .join('');

/** In one test after the other for each row of a table; a table begins on a line of its own. */
const TABLE = /^ *(?:const (\w+) = |for \(const \[([^\]]*)\] of )\[$/gm;

/** Whether a browser test goes to a screen: by itself, as somebody who goes there, by a name, or row by row of a table whose column of
 *  paths it goes through. */
export function opens(text: string, path: string): boolean {
  return [...text.matchAll(new RegExp(`['"\`]${addressOf(path)}(?=['"\`?#])`, 'g'))].some(({ index }) => {
    const so = before(text, index);
    if (/\bgoto\(\s*$/.test(so)) return true;
    if (/\bsomebody\(\w+, '\w+', $/.test(so))
      return /\bfunction somebody\([^{]*\bpath: string\b[^{]*\{[^}]*\bgoto\(path\)/.test(text);
    const name = /\bconst (\w+) = $/.exec(so)?.[1];
    if (name !== undefined) return text.includes(`goto(${name})`);
    const row = /\[\s*((?:'[^']*',\s*)*)$/.exec(so)?.[1];
    const table = [...text.slice(0, index).matchAll(TABLE)].at(-1);
    if (row === undefined || table === undefined) return false;
    const columns = row.match(/'[^']*'/g)?.length ?? 0;
    const [, of, own] = table;
    const loops =
      own === undefined
        ? [...text.matchAll(new RegExp(`\\bfor \\(const \\[([^\\]]*)\\] of ${of}\\b`, 'g'))].map(
            ([, names]) => names,
          )
        : [own];
    return loops.some((names) => {
      const column = names?.split(',')[columns]?.trim();
      return column && new RegExp(`\\b(?:goto\\(|walk\\(\\w+, )${column}\\)`).test(text);
    });
  });
}
