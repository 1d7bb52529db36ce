import { Anchor, Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type Me, signOut } from '@/api/session';
import { given, useSubmit } from '@/ui/useSubmit';
import { PublicCard } from './PublicCard';

/** In place of a form that would make another session: the one that stands goes on, or ends first. */
export function SignedIn({ user, to = '/' }: { user: Me; to?: string }) {
  const { t } = useTranslation('identity');
  const { busy, run } = useSubmit(given);
  return (
    <PublicCard
      title={t(($) => $.signedIn.title)}
      subtitle={t(($) => $.signedIn.who, { name: user.fullName, email: user.email })}
    >
      <Stack>
        <Button component={Link} to={to} replace size="md" disabled={busy}>
          {t(($) => $.signedIn.goOn, { name: user.fullName })}
        </Button>
        <Anchor
          component="button"
          type="button"
          fz="sm"
          ta="left"
          disabled={busy}
          onClick={() => void run(() => signOut(true))}
        >
          {t(($) => $.signedIn.leave)}
        </Anchor>
      </Stack>
    </PublicCard>
  );
}
