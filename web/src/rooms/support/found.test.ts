// @vitest-environment node
import { expect, test } from 'vitest';
import { piecesOf } from './found';

const hits = (text: string, search: string) =>
  piecesOf(text, search)
    .filter(({ hit }) => hit)
    .map((piece) => piece.text);

test.each([
  ['Minhas Transferências não vieram', 'transferencia', ['Transferências']],
  ['As transferências e o SAQUE', 'saques transferir', ['transferências', 'SAQUE']],
  ['O (depósito), de ontem', 'depositos', ['depósito']],
  ['Depósito de ontem', 'de', ['de']],
  ['nada disto', 'saque', []],
  ['', 'saque', []],
  ['qualquer coisa', '  %_* ', []],
])('%s · %s', (text, search, found) => {
  expect(hits(text, search)).toEqual(found);
});

test('the pieces are the text', () => {
  for (const text of ['um saque, dois saques\n— e três', 'saque', '', 'e\u0301 cafe\u0301'])
    expect(
      piecesOf(text, 'saque café')
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
});
