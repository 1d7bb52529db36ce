import { expect, test } from 'vitest';
import { beginning, blocksOf } from './blocks';

test('paragraphs, headings and lists are told apart by their lines', () => {
  expect(blocksOf('Um.\nDois.\n\n## Título\nTexto\n- a\n- b\n\n- c\nfim')).toEqual([
    { kind: 'paragraph', text: 'Um.\nDois.' },
    { kind: 'heading', text: 'Título' },
    { kind: 'paragraph', text: 'Texto' },
    { kind: 'list', items: ['a', 'b'] },
    { kind: 'list', items: ['c'] },
    { kind: 'paragraph', text: 'fim' },
  ]);
  expect(blocksOf('\n\n  \n')).toEqual([]);
});

test('nothing but these is a form: what looks like markup stays words', () => {
  const text = '<b>a</b> [x](javascript:alert(1)) #nada -nada';
  expect(blocksOf(text)).toEqual([{ kind: 'paragraph', text }]);
});

test('a card shows the beginning in words', () => {
  expect(beginning('## A\nUm texto.\n\n- e mais')).toBe('Um texto. e mais');
  expect(beginning('um dois três quatro', 10)).toBe('um dois…');
  expect(beginning('umapalavrasó', 4)).toMatch(/^u/);
});
