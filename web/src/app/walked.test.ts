/** The walk through all screens (`e2e/face/languages.spec.ts`) leaves none out. */

import { expect, test } from 'vitest';
import { SCREENS } from '../../e2e/face/screens';
import { pages } from './pages';

const sorted = (paths: readonly string[]) => [...new Set(paths)].sort();

test('every page is walked, and nothing else', () => {
  expect(sorted(SCREENS.map(({ page }) => page))).toEqual(sorted(pages.map(({ path }) => path)));
});

test('none is left to the whole walk alone', () => {
  const inTheGate = SCREENS.filter(({ gate }) => gate !== 'none').map(({ page }) => page);
  expect(sorted(inTheGate)).toEqual(sorted(pages.map(({ path }) => path)));
});

test('what the gate walks in one language is spread evenly', () => {
  const count = (language: string) => SCREENS.filter(({ gate }) => gate === language).length;
  expect(Math.abs(count('en') - count('es'))).toBeLessThanOrEqual(1);
});

test('each has a name of its own', () => {
  const names = SCREENS.map(({ name }) => name);
  expect(sorted(names)).toEqual([...names].sort());
});
