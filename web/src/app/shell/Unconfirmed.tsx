import { Anchor, Box, Group } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation } from 'react-router';
import { queryClient } from '@/api/queryClient';
import { i18n } from '@/i18n';
import PublicBar from '@/rooms/identity/PublicBar';
import { Logo } from '@/ui/Logo';
import { useUnconfirmedLive } from '../live';
import { Splash } from '../pages/Splash';
import classes from './Unconfirmed.module.css';

const ConfirmEmail = lazy(async () => {
  const [page] = await Promise.all([
    import('@/rooms/identity/ConfirmEmail'),
    i18n.loadNamespaces(['identity', 'login']),
  ]);
  return page;
});

/** Before the address is confirmed: one screen, and the support. Nothing else is asked of the server, which would refuse it. */
export default function Unconfirmed() {
  const { pathname } = useLocation();
  useUnconfirmedLive();
  return (
    <QueryClientProvider client={queryClient}>
      <Suspense fallback={<Splash />}>
        {/^\/support(\/|$)/.test(pathname) ? <Help /> : <ConfirmEmail />}
      </Suspense>
    </QueryClientProvider>
  );
}

/** The screens of the support without the menu, whose other entries are shut. */
function Help() {
  const { t } = useTranslation('shell');
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <Group gap="lg">
          <Logo />
          <Anchor component={Link} to="/" fz="sm">
            <Group gap={6} component="span">
              <IconArrowLeft size={16} aria-hidden />
              <span>{t(($) => $.confirmEmail)}</span>
            </Group>
          </Anchor>
        </Group>
        <Group gap="sm">
          <PublicBar />
        </Group>
      </header>
      <Box component="main" className={classes.main}>
        <Suspense>
          <Outlet />
        </Suspense>
      </Box>
    </div>
  );
}
