// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';
import { formatBrl, formatDecimal, formatExact, formatPercent, formatUsdt } from './format';
import {
  add,
  compare,
  divide,
  multiply,
  parseMoney,
  percentOf,
  placesOf,
  ratio,
  subtract,
  sum,
  tidy,
  truncate,
} from './money';

/** A seeded stream, so that a failure comes back with its seed. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}
const usdt = (micros: bigint) => {
  const text = micros.toString().padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
};

test.each([
  ['2.0000', 0, '2'],
  ['2.5000', 0, '2.5'],
  ['0.0001', 0, '0.0001'],
  ['20', 0, '20'],
  ['20', 2, '20.00'],
  ['20.500000', 2, '20.50'],
  ['20.123400', 2, '20.1234'],
])('%s with %i decimals at least is %s', (value, least, expected) => {
  expect(tidy(value, least)).toBe(expected);
});

test.each([
  ['0.004321', 2, 6],
  ['-0.004321', 2, 6],
  ['0.004321', 4, 4],
  ['0.000099', 4, 6],
  ['0.01', 2, 2],
  ['12.004321', 2, 2],
  ['0.000000', 2, 2],
] as const)('%s is shown with %i places by %i', (value, places, shown) => {
  expect(placesOf(value, places)).toBe(shown);
});

describe('truncate', () => {
  test.each([
    ['1.999999', 2, '1.99'],
    ['1.999999', 4, '1.9999'],
    ['0.009999', 2, '0.00'],
    ['-0.009999', 2, '0.00'],
    ['-1.239999', 2, '-1.23'],
    ['9007199254740993.999999', 2, '9007199254740993.99'],
    ['5', 2, '5.00'],
    ['5.5', 0, '5'],
  ])('%s to %i is %s', (value, digits, expected) => {
    expect(truncate(value, digits)).toBe(expected);
  });

  test('never shows more than there is, for any amount', () => {
    const draw = random(7);
    for (let round = 0; round < 2000; round++) {
      const value = usdt(BigInt(draw(2 ** 31)) * BigInt(draw(2 ** 20) + 1));
      for (const digits of [0, 2, 4, 6])
        expect(compare(truncate(value, digits), value)).toBeLessThanOrEqual(0);
      expect(truncate(value, 6)).toBe(value);
    }
  });
});

describe('arithmetic', () => {
  test('adds and subtracts exactly where doubles do not', () => {
    expect(add('0.1', '0.2')).toBe('0.300000');
    expect(subtract('1', '0.000001')).toBe('0.999999');
    expect(sum(['0.1', '0.2', '-0.3'])).toBe('0.000000');
    expect(subtract('1', '2', 2)).toBe('-1.00');
  });

  test('a sum taken apart is whole again', () => {
    const draw = random(11);
    for (let round = 0; round < 500; round++) {
      const [a, b] = [usdt(BigInt(draw(2 ** 31))), usdt(BigInt(draw(2 ** 31)))];
      expect(subtract(add(a, b), b)).toBe(a);
    }
  });

  test.each([
    ['10', '5.39', 2, 'up', '53.90'],
    ['0.000001', '5.39', 2, 'up', '0.01'],
    ['0.000001', '5.39', 2, 'down', '0.00'],
    ['12.345678', '5.3912', 2, 'up', '66.56'],
    ['12.345678', '5.3912', 2, 'down', '66.55'],
  ] as const)('%s at %s with %i decimals, %s: %s', (value, rate, digits, rounding, expected) => {
    expect(multiply(value, rate, digits, rounding)).toBe(expected);
  });

  test('what a price in BRL buys never costs more than the price', () => {
    const draw = random(3);
    for (let round = 0; round < 500; round++) {
      const rate = `${1 + draw(9)}.${String(draw(10_000)).padStart(4, '0')}`;
      const brl = `${1 + draw(100_000)}.${String(draw(100)).padStart(2, '0')}`;
      const bought = divide(brl, rate, 6, 'down');
      expect(compare(multiply(bought, rate, 2, 'down'), brl)).toBeLessThanOrEqual(0);
    }
  });

  test('a share stays between nothing and all', () => {
    expect(ratio('50', '200')).toBe(0.25);
    expect(ratio('300', '200')).toBe(1);
    expect(ratio('-1', '200')).toBe(0);
    expect(ratio('1', '0')).toBe(0);
  });
});

describe('parseMoney', () => {
  const pt = { decimalMark: ',', digits: 6 } as const;
  const en = { decimalMark: '.', digits: 6 } as const;

  test.each([
    ['12', '12'],
    ['12,5', '12.5'],
    ['12.5', '12.5'],
    ['0012,50', '12.50'],
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1.234.567', '1234567'],
    ['1 234,56', '1234.56'],
    ['12\u00a0345\u00a0678', '12345678'],
    ['1\u202f234,5 USDT', '1234.5'],
    ['R$ 1.234,56', '1234.56'],
    ['1.234,56 USDT', '1234.56'],
    ['0,001', '0.001'],
    ['0.001', '0.001'],
    [',5', '0.5'],
    ['12,', '12'],
    ['1234.567', '1234.567'],
    ['12,0010', '12.0010'],
  ])('in Portuguese %s is %s', (text, value) => {
    expect(parseMoney(text, pt)).toEqual({ kind: 'value', value });
  });

  test.each([
    ['12.001', pt, ['12001', '12.001']],
    ['12,001', en, ['12001', '12.001']],
    ['12,001', { ...pt, pasted: true }, ['12001', '12.001']],
    ['1.000', { ...en, pasted: true }, ['1000', '1.000']],
  ] as const)('%s can be read in two ways', (text, options, readings) => {
    expect(parseMoney(text, options)).toEqual({ kind: 'ambiguous', readings });
  });

  test('the own mark, typed, is no question', () => {
    expect(parseMoney('12,001', pt)).toEqual({ kind: 'value', value: '12.001' });
    expect(parseMoney('12.001', en)).toEqual({ kind: 'value', value: '12.001' });
  });

  test('with two decimals only one reading is left', () => {
    expect(parseMoney('1.234', { decimalMark: ',', digits: 2 })).toEqual({ kind: 'value', value: '1234' });
    expect(parseMoney('1,234', { decimalMark: ',', digits: 2 })).toEqual({
      kind: 'problem',
      problem: 'precision',
    });
  });

  test.each([
    ['-1', 'negative'],
    ['−1', 'negative'],
    ['abc', 'invalid'],
    ['1e9', 'invalid'],
    ['1.2.3', 'invalid'],
    ['1,2,3.4', 'invalid'],
    ['12,34.567,8', 'invalid'],
    ['12 34 56,00', 'invalid'],
    ['1 00,00', 'invalid'],
    ['1\u00a000', 'invalid'],
    ['1\u202f2345', 'invalid'],
    ['1 234\u00a0567', 'invalid'],
    ['1 234.567,00', 'invalid'],
    ['1,5 0', 'invalid'],
    ['0 100', 'invalid'],
    ["1'00", 'invalid'],
    ['.', 'invalid'],
    ['0,0000001', 'precision'],
    ['9999999999999', 'tooLarge'],
  ])('%s is refused as %s', (text, problem) => {
    expect(parseMoney(text, pt)).toEqual({ kind: 'problem', problem });
  });

  test('nothing is nothing', () => {
    expect(parseMoney('  ', pt)).toEqual({ kind: 'empty' });
  });

  test('what a language writes, it reads back', () => {
    const draw = random(5);
    for (let round = 0; round < 1000; round++) {
      const value = usdt(BigInt(draw(2 ** 31)) * 1000n);
      for (const [tag, options] of [
        ['pt-BR', pt],
        ['es-ES', pt],
        ['en-US', en],
      ] as const) {
        const read = parseMoney(formatDecimal(tag, value, 6), options);
        expect(read.kind === 'value' && compare(read.value, value)).toBe(0);
      }
    }
  });
});

describe('how money is written', () => {
  test('cut, never rounded up, in each language', () => {
    expect(formatUsdt('pt-BR', '1234567.899999')).toBe('1.234.567,89\u00a0USDT');
    expect(formatUsdt('en-US', '1234.56789', 4, true)).toBe('+1,234.5678\u00a0USDT');
    expect(formatUsdt('es-ES', '1234.5')).toBe('1.234,50\u00a0USDT');
    expect(formatDecimal('pt-BR', '-0.001', 2)).toBe('0,00');
    expect(formatDecimal('pt-BR', '-0.001', 2, true)).toBe('0,00');
  });

  test('keeps every digit of what no double could hold', () => {
    expect(formatDecimal('pt-BR', '12345678901234567890.1234', 4)).toBe('12.345.678.901.234.567.890,1234');
  });

  test('reais, percent, and what is no number', () => {
    expect(formatBrl('pt-BR', '2500')).toBe('R$\u00a02.500,00');
    expect(formatBrl('en-US', '-2500.5')).toBe('-R$\u00a02,500.50');
    expect(formatPercent('pt-BR', '1.2399', 2, true)).toBe('+1,23%');
    expect(formatPercent('es-ES', '-1.2', 2, true)).toBe('-1,20\u00a0%');
    // What is there is never written as nothing.
    expect(formatPercent('pt-BR', '0.4', 0)).toBe('<1%');
    expect(formatPercent('en-US', '0.0049')).toBe('<0.01%');
    expect(formatPercent('es-ES', '0.99', 0)).toBe('<1\u00a0%');
    expect(formatPercent('pt-BR', '0', 0)).toBe('0%');
    expect(formatPercent('pt-BR', '0.001', 2, true)).toBe('0,00%');
    expect(percentOf('1', '30000')).toBe('0.003333333333333333');
    expect(compare(percentOf('40', '30'), '100')).toBe(0);
    expect(compare(percentOf('-1', '30'), '0')).toBe(0);
    expect(percentOf('1', '0')).toBe('0');
    expect(formatUsdt('pt-BR', 'NaN')).toBe('–\u00a0USDT');
  });
});

test('quantities and prices keep the places that they have', () => {
  expect(formatExact('pt-BR', '97213.41')).toBe('97.213,41');
  expect(formatExact('es-ES', '3401.220')).toBe('3.401,220');
  expect(formatExact('en-US', '0.00000123')).toBe('0.00000123');
  expect(formatExact('pt-BR', 'x')).toBe('–');
});
