import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { api } from '@/api/client';
import { asApiError } from '@/api/problem';
import { reloadUser, useUser } from '@/api/session';
import { apiUrl } from '@/api/url';
import { ErrorCard } from '@/ui/ErrorCard';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { BadLink } from './BadLink';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';

type State = 'checking' | 'pending' | 'confirmed' | 'bad' | 'unknown';

/** Opening the link only looks; the button confirms, so that a mail scanner that follows links confirms nothing. */
export default function VerifyEmailPage() {
  const { t } = useTranslation('identity');
  const { id = '', token = '' } = useParams();
  const user = useUser();
  const [state, setState] = useState<State>('checking');
  const [round, setRound] = useState(0);
  const { busy, failure, run } = useSubmit(given);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    let current = true;
    look(id, token).then((found) => current && setState(found));
    return () => {
      current = false;
    };
  }, [id, token, round]);

  const confirm = () =>
    run(async () => {
      try {
        await api.GET('/email/verify/{id}/{token}', { params: { path: { id, token } } });
      } catch (error) {
        if (asApiError(error).unavailable) throw error;
        setState('bad');
        return;
      }
      setState('confirmed');
      if (user) await reloadUser().catch(() => {});
    });
  const resend = () =>
    run(async () => {
      await api.POST('/email/verification-notification');
      toast.success(t(($) => $.verify.resent));
    });
  return (
    <PublicCard title={t(($) => $.verify.title)}>
      {state === 'checking' && <Skeleton h={96} aria-label={t(($) => $.checking)} />}
      {state === 'unknown' && (
        <ErrorCard what={t(($) => $.verify.what)} onRetry={() => setRound((value) => value + 1)} />
      )}
      {state === 'pending' && (
        <Stack>
          <Text fz="sm" c="dimmed">
            {t(($) => $.verify.hint)}
          </Text>
          {failure && <Problem {...failure} />}
          <Button size="md" loading={busy} onClick={confirm}>
            {t(($) => $.verify.submit)}
          </Button>
        </Stack>
      )}
      {state === 'confirmed' && (
        <Stack>
          <Alert color="mint" variant="light" role="status" icon={<IconCircleCheck size={18} aria-hidden />}>
            {t(($) => $.verify.done)}
          </Alert>
          <Button component={Link} to={user ? '/' : '/login'} size="md">
            {t(($) => (user ? $.verify.home : $.backToLogin))}
          </Button>
        </Stack>
      )}
      {state === 'bad' && (
        <Stack>
          <BadLink title={t(($) => $.verify.bad)} />
          {failure && <Problem {...failure} />}
          {user && !user.emailConfirmed && (
            <Button variant="default" loading={busy} onClick={resend}>
              {t(($) => $.verify.resend)}
            </Button>
          )}
        </Stack>
      )}
    </PublicCard>
  );
}

/** The same GET without our header only answers the state. */
async function look(id: string, token: string): Promise<State> {
  try {
    const path = `/email/verify/${encodeURIComponent(id)}/${encodeURIComponent(token)}`;
    const response = await fetch(apiUrl(path), { credentials: 'same-origin' });
    if (response.status >= 500 || response.status === 429) return 'unknown';
    if (!response.ok) return 'bad';
    const { state } = (await response.json()) as { state?: string };
    return state === 'confirmed' ? 'confirmed' : 'pending';
  } catch {
    return 'unknown';
  }
}
