import type { RouteObject } from 'react-router';
import { guard } from './guard';
import { loadPage } from './loadPage';
import type { Page } from './pages';
import { RouteError } from './pages/RouteError';
import { Splash } from './pages/Splash';

export const framed = { ErrorBoundary: RouteError, HydrateFallback: Splash };

export const toRoute = (page: Page, elsewhere?: (url: URL) => string | null): RouteObject => ({
  path: page.path,
  loader: guard(page, elsewhere),
  lazy: loadPage(page),
  ...framed,
});
