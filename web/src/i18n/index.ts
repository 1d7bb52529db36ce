/** i18next with one JSON per language and room, loaded when the room is; the language is kept as `locale` = pt | en | es. */
import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { DEFAULT_LOCALE, isLocale, LANGUAGE_TAGS, LOCALES, type Locale } from './locales';

const STORAGE_KEY = 'locale';
/** What is asked for before the sign-in; the table of all others comes when the first of them is asked for (`rooms.ts`). */
const first = import.meta.glob<{ default: Record<string, unknown> }>(
  './*/{common,login,identity,legal}.json',
);
export const roomTexts = () => import('./rooms');

async function textsOf(path: string): Promise<Record<string, unknown>> {
  const load = first[path] ?? (await roomTexts()).files[path];
  if (!load) throw new Error(`no texts: ${path}`);
  return (await load()).default;
}

const backend: BackendModule = {
  type: 'backend',
  init() {},
  read: (locale, namespace, done) => {
    textsOf(`./${locale}/${namespace}.json`).then(
      (texts) => done(null, texts),
      (error: Error) => done(error, false),
    );
  },
};

function stored(): Locale {
  try {
    const value = localStorage.getItem(STORAGE_KEY);
    return isLocale(value) ? value : DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
}

export const i18n = i18next.createInstance();

/** The language of now; the three files always hold the same keys (a test), so there is no fallback language to load. */
export const currentLocale = (): Locale => (isLocale(i18n.language) ? i18n.language : DEFAULT_LOCALE);

i18n.on('languageChanged', (locale) => {
  if (!isLocale(locale)) return;
  document.documentElement.lang = LANGUAGE_TAGS[locale];
  try {
    localStorage.setItem(STORAGE_KEY, locale);
  } catch {
    // A browser that keeps nothing still shows the chosen language until the tab closes.
  }
});

export const i18nReady = i18n
  .use(backend)
  .use(initReactI18next)
  .init({
    lng: stored(),
    fallbackLng: false,
    supportedLngs: LOCALES,
    load: 'currentOnly',
    ns: ['common'],
    defaultNS: 'common',
    interpolation: { escapeValue: false },
  });
