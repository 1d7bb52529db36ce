/** What is asked before each navigation. `elsewhere` names the screen that this person is to see instead. */
import { type LoaderFunction, redirect } from 'react-router';
import { ensureUser, mayRead, takeLeaving } from '@/api/session';
import { i18n } from '@/i18n';
import { isLocale } from '@/i18n/locales';
import type { Page } from './pages';

export const guard =
  (page: Page, elsewhere?: (url: URL) => string | null): LoaderFunction =>
  async ({ request, params }) => {
    if (isLocale(params.locale) && params.locale !== i18n.language) await i18n.changeLanguage(params.locale);
    const user = await ensureUser();
    if (page.onlyAnonymous && user) return redirect('/');
    if (mayRead(page.subject)) {
      const better = elsewhere?.(new URL(request.url)) ?? null;
      return better === null ? null : redirect(better);
    }
    return redirect(user ? '/not-authorized' : loginPath(new URL(request.url)));
  };

function loginPath({ pathname, search }: URL): string {
  // Who signed out on purpose starts afresh; who was thrown out or followed a link goes on where they were.
  const target = pathname + search;
  if (takeLeaving() || target === '/') return '/login';
  return `/login?to=${encodeURIComponent(target)}`;
}
