import { Anchor, Button, Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dropSession, goOn, type Me, signInAgain, useUser } from '@/api/session';
import { type Shut, useShut } from '@/api/tab';
import { Logo } from '@/ui/Logo';
import { given, useSubmit } from '@/ui/useSubmit';
import { type Challenge, Credentials } from './Credentials';
import { Problem } from './Problem';
import classes from './PublicCard.module.css';

const SecondStep = lazy(async () => ({ default: (await import('./SecondStep')).SecondStep }));

/** What a shut tab shows in place of everything else (docs/rules/web.md#session-in-the-browser): why, and how it goes on. */
export default function ShutTab() {
  const user = useUser();
  const shut = useShut((state) => state.shut);
  // Another reason, or another person, is another question.
  return user && shut && <Screen key={`${shut.why} ${shut.now?.id}`} user={user} shut={shut} />;
}

function Screen({ user, shut: { now } }: { user: Me; shut: Shut }) {
  const { t } = useTranslation('identity');
  const name = user.fullName;
  const own = now?.id === user._id;
  const [signingIn, setSigningIn] = useState(now === null);
  const { busy, failure, run } = useSubmit(given);
  const [title, hint] = own
    ? [t(($) => $.shut.anew), t(($) => $.shut.anewHint)]
    : now
      ? [
          now.name === null ? t(($) => $.shut.someone) : t(($) => $.shut.other, { name: now.name }),
          t(($) => $.shut.otherHint, { name }),
        ]
      : [t(($) => $.shut.ended), t(($) => $.shut.endedHint, { name })];
  return (
    <div className={classes.page}>
      <div className={classes.bar} />
      <div className={classes.center}>
        <Logo size={40} />
        <Card className={classes.card ?? ''} maw={420} p={{ base: 'lg', sm: 'xl' }}>
          <Stack gap="lg">
            <div>
              <Title order={2} fz={24} lts="-0.02em" id="shut-title" style={{ overflowWrap: 'anywhere' }}>
                {title}
              </Title>
              <Text c="dimmed" fz="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
                {hint}
              </Text>
            </div>
            {failure && <Problem {...failure} title={t(($) => $.shut.failed)} />}
            {now && (
              <Button size="md" loading={busy} onClick={() => void run(goOn)} autoFocus>
                {own || now.name !== null
                  ? t(($) => $.shut.goOn, { name: now.name ?? name })
                  : t(($) => $.shut.goOnPlain)}
              </Button>
            )}
            {signingIn ? (
              <Again email={user.email} />
            ) : (
              <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => setSigningIn(true)}>
                {t(($) => $.shut.again, { name })}
              </Anchor>
            )}
            {now === null && (
              <Anchor component="button" type="button" fz="sm" ta="left" onClick={dropSession}>
                {t(($) => $.shut.leave)}
              </Anchor>
            )}
          </Stack>
        </Card>
      </div>
    </div>
  );
}

function Again({ email }: { email: string }) {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  if (challenge === null)
    return <Credentials email={email} onToken={signInAgain} onChallenge={setChallenge} />;
  return (
    <Suspense fallback={<Skeleton h={180} />}>
      <SecondStep challenge={challenge} onToken={signInAgain} onBack={() => setChallenge(null)} />
    </Suspense>
  );
}
