import { Alert, Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type Me, useUser } from '@/api/session';
import { Countdown } from '@/ui/Countdown';
import { PageHeader } from '@/ui/PageHeader';
import { ScreenTabs } from '@/ui/ScreenTabs';
import { AboutCard } from './AboutCard';
import { AntiPhishingCard } from './AntiPhishingCard';
import { AvatarCard } from './AvatarCard';
import { ChatAlertsCard } from './ChatAlertsCard';
import { ClosingCard } from './ClosingCard';
import { Devices } from './Devices';
import { DigestCard } from './DigestCard';
import { EmailCard } from './EmailCard';
import { ExportCard } from './ExportCard';
import { GoogleCard } from './GoogleCard';
import { LimitsCard } from './LimitsCard';
import { LooksCard } from './LooksCard';
import { NotificationsCard } from './NotificationsCard';
import { OtherCard } from './OtherCard';
import { PasskeysCard } from './PasskeysCard';
import { PasswordCard } from './PasswordCard';
import { AcceptedCard, OfficerCard, RetentionCard } from './PrivacyCards';
import { ProfileCard } from './ProfileCard';
import { PushCard } from './PushCard';
import { QuietHoursCard } from './QuietHoursCard';
import { SocialCard } from './SocialCard';
import { TwoFactorCard } from './TwoFactorCard';
import { UnsavedGuard } from './Unsaved';

const TABS = ['general', 'security', 'other', 'social', 'notifications', 'privacy', 'crypto'] as const;
type Tab = (typeof TABS)[number];

/** `crypto`: the tab of the wallet, which another room fills. */
export function AccountPage({ crypto }: { crypto: ReactNode }) {
  const { t } = useTranslation('account');
  const user = useUser();
  const [query, setQuery] = useSearchParams();
  const asked = query.get('tab') as Tab;
  const shown = TABS.includes(asked) ? asked : 'general';
  if (!user) return null;
  return (
    <UnsavedGuard>
      <Stack gap="lg">
        <PageHeader title={t(($) => $.title)} subtitle={`@${user.username} · ${user.email}`} />
        <ScreenTabs
          label={t(($) => $.title)}
          tabs={TABS.map((name) => ({ name, text: t(($) => $.tabs[name]) }))}
          shown={shown}
          onShow={(tab) => setQuery({ tab }, { replace: true })}
        >
          {shown === 'crypto' ? (
            crypto
          ) : (
            <Stack gap="lg" maw={860}>
              <Panel tab={shown} user={user} />
            </Stack>
          )}
        </ScreenTabs>
      </Stack>
    </UnsavedGuard>
  );
}

function Panel({ tab, user }: { tab: Exclude<Tab, 'crypto'>; user: Me }) {
  switch (tab) {
    case 'general':
      return (
        <>
          <AvatarCard user={user} />
          <ProfileCard user={user} />
          <EmailCard user={user} />
          <AboutCard user={user} />
        </>
      );
    case 'security':
      return (
        <>
          {user.hold && <OutgoingHold {...user.hold} />}
          <PasswordCard />
          <TwoFactorCard user={user} />
          <PasskeysCard user={user} />
          <GoogleCard user={user} />
          <AntiPhishingCard user={user} />
          <LimitsCard />
          <Devices />
        </>
      );
    case 'other':
      return <OtherCard user={user} />;
    case 'social':
      return <SocialCard user={user} />;
    case 'notifications':
      return (
        <>
          <NotificationsCard />
          <PushCard />
          <DigestCard />
          <QuietHoursCard />
          <ChatAlertsCard />
        </>
      );
    case 'privacy':
      return (
        <>
          <ExportCard />
          <LooksCard />
          <AcceptedCard />
          <RetentionCard />
          <OfficerCard />
          <ClosingCard user={user} />
        </>
      );
  }
}

/** Why money cannot leave now, and until when. */
function OutgoingHold({ until, reason }: NonNullable<Me['hold']>) {
  const { t } = useTranslation('identity');
  const reasons = t(($) => $.account.hold.reasons, { returnObjects: true });
  const cause = Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reasons.safety;
  return (
    <Alert color="gold" variant="light" role="note" icon={<IconLock size={18} aria-hidden />}>
      <span>{t(($) => $.account.hold.text, { cause })}</span> <Countdown until={until} />
    </Alert>
  );
}
