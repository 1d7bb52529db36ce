/** The screens that need no sign-in. They come with the program; those inside come with the table of `pages.ts`. */
import type { Page } from './pages';

const open = (path: string, load: Page['load'], options: Partial<Page> = {}): Page => ({
  path,
  subject: 'Public',
  layout: 'full',
  load,
  texts: ['identity'],
  ...options,
});

export const publicPages: readonly Page[] = [
  open('/login/:locale?', () => import('@/rooms/identity/LoginPage'), { texts: ['login'] }),
  open('/ref/:upline/:locale?', () => import('@/rooms/identity/RegisterPage'), {
    texts: ['identity', 'login', 'legal'],
  }),
  open('/forgot-password', () => import('@/rooms/identity/ForgotPasswordPage'), { onlyAnonymous: true }),
  open('/reset-password/:token', () => import('@/rooms/identity/ResetPasswordPage')),
  open('/new-password/:token/:email', () => import('@/rooms/identity/NewPasswordPage')),
  open('/oauth/callback/token/:token', () => import('@/rooms/identity/GooglePage'), {
    texts: ['identity', 'login'],
  }),
  open('/verify-email/:id/:token', () => import('@/rooms/identity/VerifyEmailPage')),
  open('/change-email/:token', () => import('@/rooms/identity/ChangeEmailPage')),
  open('/error-404', () => import('./pages/NotFoundPage'), { texts: ['shell'] }),
  open('/not-authorized', () => import('./pages/NotAuthorizedPage'), { texts: ['shell'] }),
];
