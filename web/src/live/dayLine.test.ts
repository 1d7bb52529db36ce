import { expect, test } from 'vitest';
import { robotLine, totalLine } from './dayLine';

const s = (second: number) => second * 1000;

test('a robot: walked back from what today is now', () => {
  const orders = [
    { at: s(30), result: 2 },
    { at: s(20), result: -1 },
    { at: s(10), result: 4 },
  ];
  expect(robotLine({ today: 5, orders, more: false })).toEqual([
    { time: 10, value: 4 },
    { time: 20, value: 3 },
    { time: 30, value: 5 },
  ]);
  // The day before what is known counts too.
  expect(robotLine({ today: 105, orders, more: true })[0]).toEqual({ time: 10, value: 104 });
  expect(robotLine({ today: 0, orders: [], more: false })).toEqual([]);
});

test('all robots: their steps in order, one point a second, the rest added', () => {
  const a = {
    today: 3,
    orders: [
      { at: s(40), result: 1 },
      { at: s(20), result: 2 },
    ],
    more: false,
  };
  const b = {
    today: 10,
    orders: [
      { at: s(40) + 500, result: 4 },
      { at: s(30), result: 6 },
    ],
    more: false,
  };
  expect(totalLine([a, b], 100)).toEqual([
    { time: 20, value: 102 },
    { time: 30, value: 108 },
    { time: 40, value: 113 },
  ]);
});

test('all robots: begins where every one of them is known', () => {
  const a = {
    today: 3,
    orders: [
      { at: s(40), result: 1 },
      { at: s(20), result: 2 },
    ],
    more: false,
  };
  const b = {
    today: 50,
    orders: [
      { at: s(35), result: 4 },
      { at: s(30), result: 6 },
    ],
    more: true,
  };
  expect(totalLine([a, b], 0)).toEqual([
    { time: 30, value: 48 },
    { time: 35, value: 52 },
    { time: 40, value: 53 },
  ]);
  expect(totalLine([a, { today: 1, orders: [], more: true }], 0)).toEqual([]);
});
