/** The screens behind the sign-in, with the shell around them: whoever only signs in waits neither for their table nor for the list of
 *  the pieces that the shell is made of. */
import type { RouteObject } from 'react-router';
import { loadPage } from './loadPage';
import { pages } from './pages';
import { framed, toRoute } from './toRoute';
import { workplace } from './workplace';

export const inside: RouteObject[] = [
  {
    lazy: loadPage({ load: () => import('./shell/Shell'), texts: ['shell', 'lists', 'notifications'] }),
    ...framed,
    children: pages.map((page) => toRoute(page, page.path === '/' ? workplace : undefined)),
  },
];
