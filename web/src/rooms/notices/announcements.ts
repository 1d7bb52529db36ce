/** Calls of announcements, and what both sides of them share. */
import { api, body, type Schemas } from '@/api/client';
import { mutation } from '@/api/mutation';
import { LOCALES, type Locale } from '@/i18n/locales';

export type Announcement = Schemas['AnnouncementView'];
export type Words = Schemas['InLanguages'];

/** docs/rules/notifications.md#announcements */
export const MAX_TITLE = 70;
export const MAX_TEXT = 2000;

/** What is written, under an id of its own: however often it is sent, it is one. */
export interface Draft {
  id: string;
  title: Words;
  text: Words;
  /** Empty: to everyone. */
  role: string;
}

const nothing = (): Words => ({ pt: '', en: '', es: '' });
export const begin = (): Draft => ({ id: crypto.randomUUID(), title: nothing(), text: nothing(), role: '' });

/** The languages in which a title or a text is missing. */
export const missing = ({ title, text }: Draft): Locale[] =>
  LOCALES.filter((locale) => title[locale].trim() === '' || text[locale].trim() === '');

export const publish = mutation({
  send: ({ id, title, text, role }: Draft) =>
    body(api.POST('/admin/notices', { body: { id, title, text, ...(role !== '' && { role }) } })),
  changes: ['/admin/notices'],
});
