/** What staff said to everyone. */

import { ago, HOUR } from './clock';
import { page } from './fixtures';

const words = (text: string) => ({ pt: text, en: `${text} (en)`, es: `${text} (es)` });
export const announcement = (n: number, over: object = {}) => ({
  _id: `018f0000-0000-7000-8000-00000000a0${n}0`,
  title: words('Manutenção programada'),
  text: words('Hoje, das 22 h às 23 h.\n\nSuas operações continuam depois.'),
  role: null,
  by: 'rui.alves',
  told: 1240,
  done: true,
  created_at: ago(n * 20 * HOUR),
  ...over,
});
export const ANNOUNCEMENTS = page([
  announcement(1, { role: 'customer', told: 300, done: false }),
  announcement(2),
]);
