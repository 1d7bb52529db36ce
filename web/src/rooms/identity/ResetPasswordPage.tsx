import { Alert, Anchor, Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { api, body } from '@/api/client';
import { asApiError } from '@/api/problem';
import { dropSession } from '@/api/session';
import { CodeInput, RecoveryInput } from '@/ui/CodeInput';
import { ErrorCard } from '@/ui/ErrorCard';
import { given, useSubmit } from '@/ui/useSubmit';
import { BadLink } from './BadLink';
import { PasswordFields } from './PasswordFields';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import { Support } from './Support';
import { usePassword } from './usePassword';

export type LinkState = 'checking' | 'good' | 'bad' | 'unknown';

/** Whether a link's token still counts; asking changes nothing. */
export function useSignature(token: string) {
  const [state, setState] = useState<LinkState>('checking');
  /** Whether using it takes the authenticator's code as well. */
  const [appCode, setAppCode] = useState(false);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    let current = true;
    setState('checking');
    body(api.GET('/verifySignature/{signature}', { params: { path: { signature: token } } })).then(
      (seen) => {
        if (!current) return;
        setAppCode(seen.appCode);
        setState(seen.valid ? 'good' : 'bad');
      },
      (error) => current && setState(asApiError(error).unavailable ? 'unknown' : 'bad'),
    );
    return () => {
      current = false;
    };
  }, [token, round]);
  return { state, appCode, again: () => setRound((value) => value + 1) };
}

export default function ResetPasswordPage() {
  const { t } = useTranslation('identity');
  const { token = '' } = useParams();
  const { state, appCode, again } = useSignature(token);
  const chosen = usePassword({ link: token });
  const [checked, setChecked] = useState(false);
  const [done, setDone] = useState(false);
  const [code, setCode] = useState('');
  const [byRecovery, setByRecovery] = useState(false);
  const { busy, failure, run, field } = useSubmit(given);

  const submit = async () => {
    const sent = await run(async () => {
      if (!(await chosen.accepted())) return;
      await api.POST('/redefine-password/{token}', {
        params: { path: { token } },
        body: {
          password: chosen.password,
          password_confirmation: chosen.confirmation,
          ...(appCode && { appCode: code.trim() }),
        },
      });
      // A reset ends every session of the account, this browser's included.
      dropSession();
      setDone(true);
    });
    // The app shows another one by now.
    if (!sent && !byRecovery) setCode('');
  };
  return (
    <PublicCard
      title={t(($) => $.reset.title)}
      subtitle={state === 'good' && !done && t(($) => $.reset.subtitle)}
    >
      {state === 'checking' && <Skeleton h={160} aria-label={t(($) => $.checking)} />}
      {state === 'bad' && <BadLink title={t(($) => $.reset.bad)} />}
      {state === 'unknown' && <ErrorCard what={t(($) => $.reset.what)} onRetry={again} />}
      {state === 'good' &&
        (done ? (
          <Stack>
            <Alert
              color="mint"
              variant="light"
              role="status"
              icon={<IconCircleCheck size={18} aria-hidden />}
            >
              <span>{t(($) => $.reset.done)}</span> {appCode && <span>{t(($) => $.reset.doneApp)}</span>}
            </Alert>
            <Anchor component={Link} to="/login" fz="sm">
              {t(($) => $.backToLogin)}
            </Anchor>
          </Stack>
        ) : (
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              setChecked(true);
              void submit();
            }}
          >
            <Stack>
              <PasswordFields chosen={chosen} checked={checked} error={field('password')} />
              {appCode && (
                <Stack gap="xs">
                  <Text fz="sm" c="dimmed">
                    {t(($) => $.second.hint[byRecovery ? 'recovery' : 'app'])}
                  </Text>
                  {byRecovery ? (
                    <RecoveryInput value={code} onChange={setCode} disabled={busy} />
                  ) : (
                    <CodeInput value={code} onChange={setCode} autoFocus={false} disabled={busy} />
                  )}
                  <Anchor
                    component="button"
                    type="button"
                    fz="sm"
                    ta="left"
                    onClick={() => {
                      setByRecovery(!byRecovery);
                      setCode('');
                    }}
                  >
                    {t(($) => $.second.use[byRecovery ? 'app' : 'recovery'])}
                  </Anchor>
                  <Support asks={t(($) => $.reset.neither)} />
                </Stack>
              )}
              {failure && <Problem {...failure} />}
              <Button type="submit" loading={busy} size="md">
                {t(($) => $.reset.submit)}
              </Button>
            </Stack>
          </form>
        ))}
    </PublicCard>
  );
}
