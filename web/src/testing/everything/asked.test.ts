// @vitest-environment node
import { expect, test } from 'vitest';
import { calls, opens } from './asked';

test.each([
  ['handed to the method', 'ana.get("/me").await', 'GET', '/me', true],
  ['to another method', 'ana.get("/me").await', 'PATCH', '/me', false],
  ['over several lines', 'ana.post(\n    &format!("/a/{id}"),', 'POST', '/a/{id}', true],
  ['with a query', 'ana.get("/a?page=2")', 'GET', '/a', true],
  ['a longer path', 'ana.get("/a/b")', 'GET', '/a', false],
  ['as a file', 'ana.upload("/a", "a.png", "image/png", png())', 'POST', '/a', true],
  ['with a method of its own', 'one.request(Method::GET, &format!("/a/{code}"))', 'GET', '/a/{code}', true],
  ['only mentioned', 'assert_eq!(reply.path, "/a");', 'GET', '/a', false],
  ['by a name', 'let path = format!("/a/{}", x.id);\n    ana.patch(&path, &body)', 'PATCH', '/a/{id}', true],
  ['by a name, otherwise', 'let path = "/a";\n    ana.post(path, &body)', 'PATCH', '/a', false],
  ['in a row', 'for path in [\n "/b",\n "/a?x=1",\n ] {\n ana.get(path)', 'GET', '/a', true],
  ['the name of another', 'let path = "/a";\n let path = "/b";\n ana.get(path)', 'GET', '/a', false],
  ['in another function', 'let path = "/a";\n}\nfn b(path: &str) { ana.get(path) }', 'GET', '/a', false],
] as const)('a call: %s', (_, text, method, path, made) => {
  expect(calls(text, method, path)).toBe(made);
});

const GOES = 'async function somebody(browser: Browser, path: string) {\n  await page.goto(path);\n}\n';
test.each([
  ['gone to', "await page.goto('/a');", '/a', true],
  ['with what is looked for', 'await page.goto(`/a?item=1`);', '/a', true],
  ['where something has a name', "await page.goto('/a/u1');", '/a/:id', true],
  ['only expected', "await expect(page).toHaveURL('/a');", '/a', false],
  ['as somebody', `${GOES}await somebody(browser, 'ana', '/a');`, '/a', true],
  ['as somebody who goes nowhere', "await somebody(browser, 'ana', '/a');", '/a', false],
  ['by a name', "const PAGE = '/a';\nawait page.goto(PAGE);", '/a', true],
  ['by a name that nobody uses', "const PAGE = '/a';\nawait page.goto('/b');", '/a', false],
  [
    'a row of a table',
    "const ALL = [\n  ['one', '/a', 1],\n];\nfor (const [name, path] of ALL)\n  await page.goto(path);",
    '/a',
    true,
  ],
  [
    'another column of it',
    "const ALL = [\n  ['/a', '/b', 1],\n];\nfor (const [link, path] of ALL)\n  await page.goto(path);",
    '/a',
    false,
  ],
  [
    'a table in place',
    "for (const [name, path] of [\n  ['one', '/a'],\n] as const)\n  await walk(page, path);",
    '/a',
    true,
  ],
] as const)('a screen: %s', (_, text, path, gone) => {
  expect(opens(text, path)).toBe(gone);
});
