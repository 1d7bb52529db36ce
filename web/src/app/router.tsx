import { createBrowserRouter, type RouteObject, redirect } from 'react-router';
import { onArrival, useSession } from '@/api/session';
import { roomTexts } from '@/i18n';
import { withTimeout } from './loadPage';
import { Splash } from './pages/Splash';
import { publicPages } from './publicPages';
import { framed, toRoute } from './toRoute';

const publicRoutes: RouteObject[] = [
  ...publicPages.map((page) => toRoute(page)),
  // Also what a first load matches until the screens inside are there: it shows what that wait shows.
  { path: '*', loader: () => redirect('/error-404'), Component: Splash, ...framed },
];

/** With the table of the texts of those screens, at once. */
async function privateRoutes(): Promise<RouteObject[]> {
  const [{ inside }] = await withTimeout(Promise.all([import('./inside'), roomTexts()]));
  return inside;
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
onArrival(() => void router.revalidate());
