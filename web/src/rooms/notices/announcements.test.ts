// @vitest-environment jsdom

import { expect, test } from 'vitest';
import { begin, missing } from './announcements';

test('a draft says in which languages something is missing', () => {
  const draft = begin();
  expect(missing(draft)).toEqual(['pt', 'en', 'es']);
  const title = { pt: 'Manutenção', en: 'Maintenance', es: ' ' };
  expect(missing({ ...draft, title, text: { pt: 'Hoje', en: '', es: 'Hoy' } })).toEqual(['en', 'es']);
  expect(missing({ ...draft, title: { ...title, es: 'a' }, text: { pt: 'a', en: 'b', es: 'c' } })).toEqual(
    [],
  );
  expect(begin().id).not.toBe(draft.id);
});
