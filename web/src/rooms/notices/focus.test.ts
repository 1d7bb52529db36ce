// @vitest-environment jsdom

import { beforeEach, expect, test } from 'vitest';
import { handOn } from './focus';

const row = (id: string, unread: boolean) =>
  `<tr data-row="${id}" tabindex="-1"><td>${unread ? `<button data-marks id="mark-${id}"></button>` : ''}</td></tr>`;

beforeEach(() => {
  document.body.innerHTML = '';
});

function press(rows: string[], id: string) {
  document.body.innerHTML = `<input id="elsewhere" /><table><tbody>${rows.join('')}</tbody></table>`;
  const button = document.getElementById(`mark-${id}`);
  button?.focus();
  return button;
}
const focused = () => document.activeElement?.id || document.activeElement?.getAttribute('data-row');

test.each([
  ['the next below', [row('a', true), row('b', true), row('c', false), row('d', true)], 'b', 'mark-d'],
  [
    'else the nearest above',
    [row('a', true), row('b', true), row('c', true), row('d', false)],
    'c',
    'mark-b',
  ],
  ['where all is read the next row', [row('a', false), row('b', true), row('c', false)], 'b', 'c'],
  ['at the end the row before', [row('a', false), row('b', true)], 'b', 'a'],
  ['alone its own row', [row('a', true)], 'a', 'a'],
])('the focus goes to %s', (_, rows, pressed, to) => {
  handOn(press(rows, pressed));
  expect(focused()).toBe(to);
});

test('who has gone on stays there', () => {
  const button = press([row('a', true), row('b', true)], 'a');
  document.getElementById('elsewhere')?.focus();
  handOn(button);
  expect(focused()).toBe('elsewhere');
});
