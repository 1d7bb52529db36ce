import { Anchor, Skeleton } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '@/api/queryClient';
import type { Me } from '@/api/session';
import { i18n } from '@/i18n';

const ClosingCard = lazy(async () => {
  const [card] = await Promise.all([
    import('./account/ClosingCard'),
    i18n.loadNamespaces(['account', 'identity']),
  ]);
  return { default: card.ClosingCard };
});

/** Whoever has not confirmed their address, or not accepted what is asked before anything else, may leave all the same, and think again. */
export function WayOut({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const [open, setOpen] = useState(false);
  if (!open && !user.closingAt)
    return (
      <Anchor component="button" type="button" fz="sm" onClick={() => setOpen(true)}>
        {t(($) => $.wayOut)}
      </Anchor>
    );
  return (
    <QueryClientProvider client={queryClient}>
      <Suspense fallback={<Skeleton h={150} />}>
        <ClosingCard user={user} />
      </Suspense>
    </QueryClientProvider>
  );
}
