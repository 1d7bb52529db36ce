export const LOCALES = ['pt', 'en', 'es'] as const;
export type Locale = (typeof LOCALES)[number];
export const DEFAULT_LOCALE: Locale = 'pt';

export const LOCALE_LABELS: Record<Locale, string> = { pt: 'Português', en: 'English', es: 'Español' };

/** What `<html lang>` and Intl are told. */
export const LANGUAGE_TAGS: Record<Locale, string> = { pt: 'pt-BR', en: 'en-US', es: 'es-ES' };

/** What the server is told in the `locale` header [docs/rules/web.md#locale]. */
export const HEADER_LOCALES: Record<Locale, string> = { pt: 'pt-br', en: 'en', es: 'es' };

export const isLocale = (value: unknown): value is Locale => LOCALES.includes(value as Locale);
