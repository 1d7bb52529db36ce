import { Button, Skeleton, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { type Answer, api, body } from '@/api/client';
import { useUser } from '@/api/session';
import { toast } from '@/ui/toast';
import { given, useSubmit } from '@/ui/useSubmit';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { SecondStep } from './SecondStep';
import { useEntering } from './useEntering';

const SECURITY = '/account-setting?tab=security';
type Challenge = NonNullable<Answer<'/oauth/callback/token/{token}', 'get'>['twoFactor']>;

/** Where a visit to Google ends: the code in the address is shown once, and leads in, to the second step, or back to where linking began. */
export default function GooglePage() {
  const { t } = useTranslation('identity');
  const { t: login } = useTranslation('login');
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const user = useUser();
  const { enter } = useEntering();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const { failure, run } = useSubmit(given);
  const shown = useRef('');

  const goOn = async (access: string) => {
    await enter(access);
    await navigate('/', { replace: true });
  };
  const show = () =>
    run(async () => {
      const path = { params: { path: { token } } };
      const answer = await body(api.GET('/oauth/callback/token/{token}', path));
      if (answer.twoFactor) setChallenge(answer.twoFactor);
      else if (answer.token) await goOn(answer.token);
      else {
        toast.success(t(($) => $.google.linked));
        await navigate(SECURITY, { replace: true });
      }
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is good once.
  useEffect(() => {
    if (shown.current === token) return;
    shown.current = token;
    void show();
  }, [token]);

  if (challenge)
    return (
      <PublicCard title={login(($) => $.second)}>
        <SecondStep
          challenge={challenge}
          onToken={goOn}
          onBack={() => void navigate('/login', { replace: true })}
        />
      </PublicCard>
    );
  return (
    <PublicCard title={failure ? t(($) => $.google.failed) : t(($) => $.google.title)}>
      {failure ? (
        <Stack>
          <Problem {...failure} />
          <Button component={Link} to={user ? SECURITY : '/login'} replace size="md">
            {t(($) => (user ? $.google.back : $.google.again))}
          </Button>
        </Stack>
      ) : (
        <Skeleton h={64} role="status" aria-label={t(($) => $.google.title)} />
      )}
    </PublicCard>
  );
}
