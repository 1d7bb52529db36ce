import { expect, test } from 'vitest';
import { type Kept, stepOf } from './standing';

const KEPT: Kept = { person: 'ana', owner: 'ana/s1', id: 'd1', endpoint: 'https://push/1', key: 'K' };
const NOW = {
  kept: KEPT,
  person: 'ana',
  owner: 'ana/s1',
  endpoint: 'https://push/1',
  key: 'K',
  known: ['d0', 'd1'],
  allowed: true,
};

test.each([
  ['all is as it was', {}, 'nothing'],
  ['somebody else is signed in', { person: 'bia', owner: 'bia/s2' }, 'off'],
  ['the browser has taken its leave back', { allowed: false }, 'off'],
  ['the browser has another subscription', { endpoint: 'https://push/2' }, 'renew'],
  ['the browser has lost it', { endpoint: null }, 'renew'],
  ['the server has another key', { key: 'L' }, 'renew'],
  ['the browser has another one, and the server has forgotten', { endpoint: null, known: [] }, 'renew'],
  ['somebody took it off the list', { known: ['d0'] }, 'off'],
  ['the session before took it along', { known: ['d0'], owner: 'ana/s2' }, 'renew'],
  ['a new session finds it', { owner: 'ana/s2' }, 'again'],
] as const)('%s', (_, change, step) => {
  expect(stepOf({ ...NOW, ...change })).toBe(step);
});
