// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { alone } from './withdrawalQueue';

test('a case, and a key that is not surely its holder’s, are decided by themselves', () => {
  const open = { _id: 'c', reasons: [], status: 'open' as const };
  expect(alone({ holder: 'matches' })).toBeNull();
  expect(alone({ holder: 'matches', case: open })).toBe('case');
  expect(alone({ holder: 'matches', case: { ...open, status: 'cleared' } })).toBeNull();
  for (const holder of ['unknown', 'differs'] as const) expect(alone({ holder })).toBe('holderFirst');
});
