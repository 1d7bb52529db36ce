import { createBrowserRouter, type RouteObject, redirect } from 'react-router';
import { useSession } from '@/api/session';
import { guard } from './guard';
import { loadPage, withTimeout } from './loadPage';
import type { Page } from './pages';
import { RouteError } from './pages/RouteError';
import { Splash } from './pages/Splash';
import { publicPages } from './publicPages';

const toRoute = (page: Page, elsewhere?: (url: URL) => string | null): RouteObject => ({
  path: page.path,
  loader: guard(page, elsewhere),
  lazy: loadPage(page),
  ErrorBoundary: RouteError,
  HydrateFallback: Splash,
});

const publicRoutes: RouteObject[] = [
  ...publicPages.map((page) => toRoute(page)),
  { path: '*', loader: () => redirect('/error-404') },
];

/** The screens behind the sign-in, with the shell around them: whoever only signs in does not wait for their table. */
async function privateRoutes(): Promise<RouteObject[]> {
  const [{ pages }, { workplace }] = await withTimeout(
    Promise.all([import('./pages'), import('./workplace')]),
  );
  return [
    {
      lazy: loadPage({ load: () => import('./shell/Shell'), texts: ['shell', 'notifications'] }),
      ErrorBoundary: RouteError,
      HydrateFallback: Splash,
      children: pages.map((page) => toRoute(page, page.path === '/' ? workplace : undefined)),
    },
  ];
}

let patched: Promise<void> | undefined;
export const router = createBrowserRouter(publicRoutes, {
  patchRoutesOnNavigation: async ({ patch }) => {
    patched ??= privateRoutes().then((routes) => patch(null, routes));
    try {
      await patched;
    } catch (error) {
      // For want of a connection, say: the next navigation tries again.
      patched = undefined;
      throw error;
    }
  },
});

// A session that ended or changed its rights while a screen is open: the rules are asked again.
useSession.subscribe((now, before) => {
  if (before.user && now.ability !== before.ability) void router.revalidate();
});
