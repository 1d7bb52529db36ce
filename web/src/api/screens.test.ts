import { expect, test } from 'vitest';
import { pageOf, screenAt } from './screens';

test('a screen is its page, on its own tab or another, with what it is asked to show', () => {
  const held = { screen: '/transfers-reports?tab=held' };
  expect(pageOf(held)).toBe('/transfers-reports');
  expect(pageOf({ screen: '/compliance-cases' })).toBe('/compliance-cases');
  expect(screenAt(held, { search: 'ana21' })).toBe('/transfers-reports?tab=held&search=ana21');
  expect(screenAt(held, { tab: 'all', search: 'a&b' })).toBe('/transfers-reports?tab=all&search=a%26b');
  expect(screenAt({ screen: '/compliance-cases' }, { tab: 'all' })).toBe('/compliance-cases?tab=all');
});
