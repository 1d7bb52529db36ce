/** Lessons and material, as the server tells them to customers and to staff. */
import { page as list } from './fixtures';

const id = (n: number) => `0190d000-0000-7000-8000-00000000000${n}`;
const FILE = '0190d000-0000-7000-8000-0000000000f1';

export const lesson = (n: number, more: object = {}) => ({
  _id: id(n),
  kind: 'lesson',
  language: 'pt',
  title: `Como funciona a arbitragem ${n}`,
  text: 'A mesma moeda tem dois preços.\n\n## Por quê\n- Muitos lugares\n- Muita gente\n\nAs diferenças duram instantes.',
  cover: null,
  file: null,
  progress: { seconds: 0, done: false },
  published_at: '2026-11-18T12:00:00Z',
  ...more,
});

export const VIDEO = { file: FILE, name: 'aula.mp4', mime: 'video/mp4', bytes: 18_400_000 };
export const PDF = { file: FILE, name: 'folheto.pdf', mime: 'application/pdf', bytes: 184_000 };

export const LESSONS = [
  lesson(1),
  lesson(2, { file: VIDEO, progress: { seconds: 95, done: false } }),
  lesson(3, { title: 'Quais são os riscos', progress: { seconds: 0, done: true } }),
  lesson(4, { title: 'How to read the statement', language: 'en' }),
];
export const MATERIAL = [
  lesson(5, { kind: 'material', title: 'Antes de começar: seis perguntas', file: PDF, text: 'Uma página.' }),
];

export const staffItem = (n: number, more: object = {}) => {
  const { progress: _, published_at, ...item } = lesson(n);
  return {
    ...item,
    order: n * 10,
    status: 'published',
    author: 'anaprado21',
    created_at: published_at,
    updated_at: published_at,
    published_at,
    version: 3,
    ...more,
  };
};
export const DRAFT = staffItem(7, { title: 'Rascunho novo', status: 'draft', published_at: null, text: '' });

export const ANSWERS = {
  'GET /content': list(LESSONS),
  [`GET /content/${id(1)}`]: LESSONS[0],
  [`GET /content/${id(3)}`]: LESSONS[2],
};
export const STAFF = {
  'GET /admin/content': list([staffItem(1), staffItem(2, { file: VIDEO }), DRAFT]),
  [`GET /admin/content/${id(1)}`]: staffItem(1),
  [`GET /admin/content/${id(7)}`]: DRAFT,
};
export { id };
