import { expect, test } from 'vitest';
import { standing } from '@/shared/network/standing';
import { byMonth, rest } from './figures';
import { draw } from './layout';
import type { BinaryTree, Leg, TreeNode } from './network';
import { stepsOf, textOf } from './path';
import { listed, merge, neighbour, nextPlace, risen } from './tree';

const node = (
  _id: string,
  parent: string | null,
  leg: Leg | null,
  below: { left?: boolean; right?: boolean } = {},
): TreeNode => ({
  _id,
  parent,
  leg,
  level: 0,
  username: _id,
  rank: null,
  status: 'active',
  leftPoints: '0.000000',
  rightPoints: '0.000000',
  leftNow: '0.000000',
  rightNow: '0.000000',
  binaryActive: true,
  binaryNeeds: [],
  hasLeft: below.left ?? false,
  hasRight: below.right ?? false,
});
const answer = (...nodes: TreeNode[]): BinaryTree => ({
  me: 'me',
  selectedLeg: 'left',
  up: null,
  way: { path: [], between: 0, last: [] },
  closedDay: null,
  nodes,
});

/** me → (a → (-, b), c); b has somebody on the left who was not asked for. */
const FIRST = answer(
  node('me', null, null, { left: true, right: true }),
  node('a', 'me', 'left', { right: true }),
  node('c', 'me', 'right'),
  node('b', 'a', 'right', { left: true }),
);
const BELOW_B = answer(node('b', null, null, { left: true }), node('d', 'b', 'left'));
const team = (...answers: BinaryTree[]) => {
  const merged = merge(answers);
  if (!merged) throw new Error('nobody');
  return merged;
};

/** The same with so many points on these legs. */
const having = (tree: BinaryTree, points: Record<string, Partial<Record<'leftNow' | 'rightNow', string>>>) =>
  answer(...tree.nodes.map((one) => ({ ...one, ...points[one._id] })));

test('points go up from who sold to the topmost, step by step', () => {
  const before = team(FIRST, BELOW_B);
  expect([...risen(before, before)]).toEqual([]);
  // D sold: it stands on the left of B, that on the right of A.
  const came = { me: { leftNow: '5.000000' }, a: { rightNow: '5.000000' } };
  const sold = team(having(FIRST, came), having(BELOW_B, { b: { leftNow: '5.000000' } }));
  expect(Object.fromEntries(risen(before, sold))).toEqual({ d: 0, b: 1, a: 2, me: 3 });
  // C sold as well; the longer way says when they arrive.
  const both = team(
    having(FIRST, { ...came, me: { leftNow: '5.000000', rightNow: '1.000000' } }),
    having(BELOW_B, { b: { leftNow: '5.000000' } }),
  );
  expect(Object.fromEntries(risen(before, both))).toEqual({ d: 0, b: 1, a: 2, c: 0, me: 3 });
});

test('who sold may stand below what is shown; what is taken back does not go up', () => {
  const before = team(FIRST);
  const sold = team(
    having(FIRST, {
      me: { leftNow: '5.000000' },
      a: { rightNow: '5.000000' },
      b: { leftNow: '5.000000' },
    }),
  );
  expect(Object.fromEntries(risen(before, sold))).toEqual({ b: 0, a: 1, me: 2 });
  expect(risen(sold, before).size).toBe(0);
});

test('answers are put together, and a member keeps the place that the answer from above gave', () => {
  const all = team(FIRST, BELOW_B);
  expect(all.rows).toEqual([['me'], ['a', 'c'], ['b'], ['d']]);
  expect(all.byId.get('b')).toMatchObject({ depth: 2, left: 'd', more: false });
  expect(all.byId.get('b')?.node).toMatchObject({ parent: 'a', leg: 'right' });
  expect(merge([answer()])).toBeNull();
  expect(merge([undefined])).toBeNull();
});

test('what was not asked for yet is known to be there', () => {
  const all = team(FIRST);
  expect(all.byId.get('b')?.more).toBe(true);
  expect(all.byId.get('c')?.more).toBe(false);
  expect(merge([FIRST, undefined])?.byId.get('b')?.more).toBe(true);
});

test('an answer of somebody who no longer stands below is left out', () => {
  expect(
    team(FIRST, answer(node('x', null, null, { left: true }), node('y', 'x', 'left'))).byId.has('y'),
  ).toBe(false);
});

test('the next newcomer stands at the end of the selected leg, if that is shown', () => {
  expect(nextPlace(team(FIRST), 'me', 'left')).toEqual({ parent: 'a', leg: 'left' });
  expect(nextPlace(team(FIRST), 'me', 'right')).toEqual({ parent: 'c', leg: 'right' });
  expect(nextPlace(team(answer(node('me', null, null, { left: true }))), 'me', 'left')).toBeNull();
  expect(nextPlace(team(BELOW_B), 'me', 'left')).toBeNull();
});

test('arrows lead to parent, child and along the level', () => {
  const all = team(FIRST, BELOW_B);
  expect(neighbour(all, 'b', 'ArrowUp')).toBe('a');
  expect(neighbour(all, 'a', 'ArrowDown')).toBe('b');
  expect(neighbour(all, 'a', 'ArrowRight')).toBe('c');
  expect(neighbour(all, 'c', 'ArrowRight')).toBeNull();
  expect(neighbour(all, 'me', 'ArrowUp')).toBeNull();
  expect(neighbour(all, 'd', 'Home')).toBe('me');
});

test('a list leaves out what is closed', () => {
  const ids = (closed: string[]) =>
    listed(team(FIRST, BELOW_B), new Set(closed)).map((member) => member.node._id);
  expect(ids([])).toEqual(['me', 'a', 'b', 'd', 'c']);
  expect(ids(['a'])).toEqual(['me', 'a', 'c']);
});

test('an only child keeps its side, and nobody is drawn upon another', () => {
  const all = team(FIRST, BELOW_B);
  const { places, edges } = draw(all, nextPlace(all, 'me', 'left'));
  const at = (id: string) => places.find(({ place }) => place.id === id);
  expect(at('a:left')?.place.kind).toBe('next');
  expect(at('b:right')?.place.kind).toBe('free');
  expect(at('b')?.x).toBeGreaterThan(at('a:left')?.x ?? 0);
  expect(at('a')?.x).toBeLessThan(at('c')?.x ?? 0);
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(places.length);
  expect(edges).toContainEqual({ from: 'a', to: 'b', leg: 'right', free: false });
});

test('a whole answer of 127 members is drawn without an overlap', () => {
  const nodes: TreeNode[] = [];
  for (let n = 1; n <= 127; n += 1) {
    const below = { left: n * 2 <= 127, right: n * 2 <= 127 };
    nodes.push(
      n === 1
        ? node('me', null, null, below)
        : node(String(n), n < 4 ? 'me' : String(n >> 1), n % 2 ? 'right' : 'left', below),
    );
  }
  const all = team(answer(...nodes));
  expect(all.byId.size).toBe(127);
  expect(all.rows.map((row) => row.length)).toEqual([1, 2, 4, 8, 16, 32, 64]);
  const { places } = draw(all, null);
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(127);
});

test('figures of legs and months are exact', () => {
  const leg = { carried: '700.000000', fresh: '500.000000', owed: '100.000000' };
  expect(standing(leg)).toBe('1100.000000');
  expect(standing({ ...leg, owed: '2000.000000' })).toBe('0');
  expect(rest(leg, '500.000000')).toBe('600.000000');
  const bonuses = [
    { month: '2026-10', kind: 'level' as const, level: 1, paid: '1.000001', waiting: '0.000000' },
    { month: '2026-10', kind: 'level' as const, level: 2, paid: '0.000002', waiting: '0.000000' },
    { month: '2026-11', kind: 'binary' as const, level: 0, paid: '3.000000', waiting: '0.000000' },
    { month: '2026-11', kind: 'residual' as const, level: 1, paid: '0.500000', waiting: '0.000000' },
  ];
  const growth = ['2026-09', '2026-10', '2026-11'].map((month) => ({
    month,
    left: 0,
    right: 0,
    referrals: 0,
  }));
  expect(byMonth(growth, bonuses)).toEqual({
    kinds: ['level', 'residual', 'binary'],
    rows: [
      { at: '2026-09', values: {} },
      { at: '2026-10', values: { level: '1.000003' } },
      { at: '2026-11', values: { binary: '3.000000', residual: '0.500000' } },
    ],
  });
});

test('a path in the address is read as it was written; what is none is left out', () => {
  const steps = [
    { id: '1', name: 'ana' },
    { id: '2', name: 'bia' },
  ];
  expect(stepsOf(textOf(steps) ?? undefined)).toEqual(steps);
  expect(textOf([])).toBeNull();
  expect(stepsOf('x..~y')).toEqual([]);
});
