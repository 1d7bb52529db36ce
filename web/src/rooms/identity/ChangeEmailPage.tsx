import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { type Answer, api, body } from '@/api/client';
import { asApiError } from '@/api/problem';
import { reloadUser, useUser } from '@/api/session';
import { ErrorCard } from '@/ui/ErrorCard';
import { given, useSubmit } from '@/ui/useSubmit';
import { BadLink } from './BadLink';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';

type Seen = Answer<'/email/change/{token}', 'get'>;
type State = Seen | 'checking' | 'bad' | 'unknown';

/** /change-email/:token: one of the two addresses says yes. Opening the link only looks; the button confirms. */
export default function ChangeEmailPage() {
  const { t } = useTranslation('identity');
  const { token = '' } = useParams();
  const user = useUser();
  const [state, setState] = useState<State>('checking');
  const [round, setRound] = useState(0);
  const { busy, failure, run } = useSubmit(given);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    let current = true;
    look(token).then((found) => current && setState(found));
    return () => {
      current = false;
    };
  }, [token, round]);

  const confirm = () =>
    run(async () => {
      try {
        setState(await body(api.POST('/email/change/{token}', { params: { path: { token } } })));
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.code !== 'link.change_invalid') throw thrown;
        setState('bad');
        return;
      }
      if (user) await reloadUser().catch(() => {});
    });
  return (
    <PublicCard title={t(($) => $.change.title)}>
      {state === 'checking' ? (
        <Skeleton h={120} aria-label={t(($) => $.checking)} />
      ) : state === 'unknown' ? (
        <ErrorCard what={t(($) => $.verify.what)} onRetry={() => setRound((value) => value + 1)} />
      ) : state === 'bad' ? (
        <BadLink title={t(($) => $.verify.bad)} />
      ) : state.done ? (
        <Stack>
          <Alert color="mint" variant="light" role="status" icon={<IconCircleCheck size={18} aria-hidden />}>
            {state.changed
              ? t(($) => $.change.changed, { email: state.email })
              : t(($) => $.change.half[state.side])}
          </Alert>
          {state.changed && (
            <Text fz="sm" c="dimmed">
              {t(($) => $.change.after)}
            </Text>
          )}
          <Button component={Link} to={user ? '/account-setting' : '/login'} size="md">
            {user ? t(($) => $.change.account) : t(($) => $.backToLogin)}
          </Button>
        </Stack>
      ) : (
        <Stack>
          <Text fz="sm">{t(($) => $.change.hint[state.side], { email: state.email })}</Text>
          <Text fz="sm" c="dimmed">
            {t(($) => $.change.notYou)}
          </Text>
          {failure && <Problem {...failure} />}
          <Button size="md" loading={busy} onClick={confirm}>
            {t(($) => $.change.submit)}
          </Button>
        </Stack>
      )}
    </PublicCard>
  );
}

const look = (token: string): Promise<State> =>
  body(api.GET('/email/change/{token}', { params: { path: { token } } })).catch((error) =>
    asApiError(error).unavailable ? 'unknown' : 'bad',
  );
