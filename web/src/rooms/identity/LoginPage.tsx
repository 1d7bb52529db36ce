import { Box, Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';
import { useConfig } from '@/api/config';
import { wasLost } from '@/api/session';
import { safeTarget } from '@/api/target';
import { i18n } from '@/i18n';
import { canUsePasskeys } from '@/shared/passkeys/usable';
import { type Challenge, Credentials } from './Credentials';
import { PublicCard } from './PublicCard';
import { useEntering } from './useEntering';

/** What only some visits need comes after the form, with its texts. */
const afterwards = async () => {
  const [second, signedIn] = await Promise.all([
    import('./SecondStep'),
    import('./SignedIn'),
    import('./Problem'),
    i18n.loadNamespaces('identity'),
  ]);
  return { SecondStep: second.SecondStep, SignedIn: signedIn.SignedIn };
};
const SecondStep = lazy(async () => ({ default: (await afterwards()).SecondStep }));
/** The word between and the button: the room that the way by Google takes. */
const GOOGLE =
  'calc(var(--mantine-font-size-xs) * var(--mantine-line-height) + var(--mantine-spacing-sm) + 42px)';
/** Only where the house offers it. */
const GoogleButton = lazy(() => import('./GoogleButton'));
/** Not every browser knows passkeys, and what is said to one is not small. */
const PasskeyButton = lazy(async () => {
  const [button] = await Promise.all([import('./PasskeyButton'), i18n.loadNamespaces('identity')]);
  return button;
});
const SignedIn = lazy(async () => ({ default: (await afterwards()).SignedIn }));

export default function LoginPage() {
  const { t } = useTranslation('login');
  const { t: common } = useTranslation();
  const lost = wasLost();
  const google = useConfig((state) => state.config?.google);
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const { somebody, enter } = useEntering();
  const target = safeTarget(query.get('to'));
  // A failure here is met again, and shown, when it is needed.
  useEffect(() => void afterwards().catch(() => {}), []);
  const goOn = async (token: string) => {
    await enter(token);
    await navigate(target, { replace: true });
  };
  if (somebody)
    return (
      <Suspense>
        <SignedIn user={somebody} to={target} />
      </Suspense>
    );
  if (challenge)
    return (
      <PublicCard title={t(($) => $.second)}>
        <Suspense fallback={<Skeleton h={180} />}>
          <SecondStep challenge={challenge} onToken={goOn} onBack={() => setChallenge(null)} />
        </Suspense>
      </PublicCard>
    );
  return (
    <PublicCard
      title={t(($) => $.title)}
      subtitle={lost === 'unread' ? common(($) => $.error.profile) : t(($) => $[lost ?? 'subtitle'])}
    >
      <Credentials onToken={goOn} onChallenge={setChallenge} />
      {/* Its place is kept: what is about to be pressed above it must not move. */}
      <Suspense fallback={canUsePasskeys() && <Box h={42} mt="sm" />}>
        <PasskeyButton onToken={goOn} />
      </Suspense>
      {google && (
        <Suspense fallback={<Box h={GOOGLE} />}>
          <GoogleButton />
        </Suspense>
      )}
    </PublicCard>
  );
}
