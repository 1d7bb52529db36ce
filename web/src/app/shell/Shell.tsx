import { AppShell, Box, Burger, Group, Modal, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router';
import { isLook } from '@/api/look';
import { queryClient } from '@/api/queryClient';
import { useUser } from '@/api/session';
import { isShut } from '@/api/tab';
import { i18n } from '@/i18n';
import { useOrigin } from '@/shared/origin/origin';
import { ErrorCard } from '@/ui/ErrorCard';
import { Logo } from '@/ui/Logo';
import { useLeaving } from '@/ui/leaving';
import { usePiece } from '@/ui/usePiece';
import { mustComplete } from '../completion';
import { useDevice } from '../device';
import { useLiveSession } from '../live';
import { ClosingBanner } from './ClosingBanner';
import { Header } from './Header';
import { InactiveBanner } from './InactiveBanner';
import { KeyboardHelp } from './KeyboardHelp';
import { NavMenu } from './NavMenu';
import { PauseBanner } from './PauseBanner';
import { ProgramBanner } from './ProgramBanner';
import { SearchPalette } from './SearchPalette';
import classes from './Shell.module.css';
import { UserMenu } from './UserMenu';

const CompleteAccount = lazy(async () => {
  const [page] = await Promise.all([
    import('@/rooms/identity/CompleteAccount'),
    i18n.loadNamespaces(['identity', 'legal']),
  ]);
  return page;
});

const Unconfirmed = lazy(() => import('./Unconfirmed'));

/** Fetched with the first question. */
const originDrawer = async () => {
  const [drawer] = await Promise.all([
    import('@/shared/origin/OriginDrawer'),
    i18n.loadNamespaces(['statement', 'robots']),
  ]);
  return drawer.default;
};

function Origins() {
  const { t } = useTranslation('shell');
  const { t: lists } = useTranslation('lists');
  const asked = useOrigin(({ ask }) => ask !== null);
  const close = useOrigin((origin) => origin.close);
  const { piece: OriginDrawer, failed, fetch } = usePiece(originDrawer);
  const come = useEffectEvent(fetch);
  useEffect(() => {
    if (asked) come();
  }, [asked]);
  if (OriginDrawer) return <OriginDrawer />;
  return (
    <Modal opened={asked && failed} onClose={close} title={lists(($) => $.money.origin)}>
      <ErrorCard what={t(($) => $.origin)} onRetry={fetch} />
    </Modal>
  );
}

export default function PrivateRoot() {
  const user = useUser();
  const { pathname } = useLocation();
  // The session ended while this was on screen: the router is already on its way to the login.
  if (!user) return null;
  if (!user.emailConfirmed)
    return (
      <Suspense>
        <Unconfirmed />
      </Suspense>
    );
  // Before anything else; whoever was added by staff has given nothing yet [docs/rules/web.md#completing-an-account].
  if (mustComplete(user, pathname))
    return (
      <Suspense>
        <CompleteAccount />
      </Suspense>
    );
  return (
    <QueryClientProvider client={queryClient}>
      <Shell />
    </QueryClientProvider>
  );
}

/** Where somebody's account is looked at the bar that says so stands above. */
const BELOW = isLook ? { top: 'var(--look-bar)' } : {};
const BESIDE = isLook ? { ...BELOW, height: 'calc(100dvh - var(--look-bar))' } : {};

function Shell() {
  const { t } = useTranslation('shell');
  const [opened, { toggle, close }] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  useLiveSession();
  useDevice();
  useLeaving(isShut);
  useFocusOnNavigation(main);
  return (
    <AppShell
      layout="alt"
      header={{ height: 64 }}
      navbar={{ width: 256, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className={classes.skip} href="#content">
        {t(($) => $.skip)}
      </a>
      <AppShell.Navbar className={classes.navbar} style={BESIDE} aria-label={t(($) => $.menu.label)}>
        <Group className={classes.brand} gap={11} wrap="nowrap">
          <Logo />
          <Burger
            opened
            onClick={close}
            hiddenFrom="md"
            size="sm"
            ml="auto"
            aria-label={t(($) => $.menu.close)}
          />
        </Group>
        <AppShell.Section grow component={ScrollArea} px={12}>
          <Box hiddenFrom="sm" pt={4}>
            <SearchPalette.Opener fullWidth />
          </Box>
          <NavMenu onNavigate={close} />
        </AppShell.Section>
        <UserMenu onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Header className={classes.header} style={BELOW}>
        <Header menuOpened={opened} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Main id="content" ref={main} tabIndex={-1} className={classes.main}>
        <Box maw={1480} mx="auto">
          <ProgramBanner />
          <InactiveBanner />
          <ClosingBanner />
          <PauseBanner />
          <Suspense>
            <Outlet />
          </Suspense>
        </Box>
      </AppShell.Main>
      <SearchPalette />
      <KeyboardHelp />
      <Origins />
    </AppShell>
  );
}

/** A new screen takes the focus, as a page load would; the first one leaves it where the browser put it. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>) {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname, main]);
}
