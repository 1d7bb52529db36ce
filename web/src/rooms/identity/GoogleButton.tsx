import { Button, Divider, Stack } from '@mantine/core';
import { IconBrandGoogle } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '@/api/client';
import { useConfig } from '@/api/config';
import { i18n } from '@/i18n';
import { given, useSubmit } from '@/ui/useSubmit';

/** Only a refusal needs it. */
const Problem = lazy(async () => {
  const [{ Problem }] = await Promise.all([import('./Problem'), i18n.loadNamespaces('identity')]);
  return { default: Problem };
});

/** The way in by Google, where the house offers it: the browser goes there and comes back to `/oauth/callback/token/…`. */
export default function GoogleButton({ upline }: { upline?: string }) {
  const { t } = useTranslation('login');
  const offered = useConfig((state) => state.config?.google);
  const { busy, failure, run } = useSubmit(given);
  if (!offered) return null;
  const go = () =>
    run(async () => {
      const { url } = await body(api.POST('/oauth/google', { body: { upline: upline ?? null } }));
      window.location.assign(url);
      // The page stays as it is until the browser has gone.
      await new Promise(() => {});
    });
  return (
    <Stack gap="sm">
      <Divider label={t(($) => $.or)} />
      <Button
        variant="default"
        size="md"
        loading={busy}
        leftSection={<IconBrandGoogle size={18} aria-hidden />}
        onClick={() => void go()}
      >
        {t(($) => $.google)}
      </Button>
      {failure && (
        <Suspense>
          <Problem {...failure} title={t(($) => $.failed)} />
        </Suspense>
      )}
    </Stack>
  );
}
