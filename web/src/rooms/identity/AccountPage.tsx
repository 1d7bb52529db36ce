import { Alert, Stack, Tabs } from '@mantine/core';
import { IconLock, IconUser, IconWallet } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type Me, useUser } from '@/api/session';
import { Countdown } from '@/ui/Countdown';
import { PageHeader } from '@/ui/PageHeader';
import { Devices } from './Devices';
import { LimitsCard } from './LimitsCard';
import { PasswordCard } from './PasswordCard';
import { ProfileCard } from './ProfileCard';
import { TwoFactorCard } from './TwoFactorCard';

const TABS = ['general', 'security', 'crypto'] as const;
type Tab = (typeof TABS)[number];

/** `crypto`: the tab of the wallet, which another room fills. */
export function AccountPage({ crypto }: { crypto: ReactNode }) {
  const { t } = useTranslation('identity');
  const user = useUser();
  const [query, setQuery] = useSearchParams();
  const asked = query.get('tab') as Tab;
  const tab = TABS.includes(asked) ? asked : 'general';
  if (!user) return null;
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.account.title)} subtitle={`@${user.username} · ${user.email}`} />
      <Tabs
        value={tab}
        onChange={(next) => setQuery(next ? { tab: next } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label={t(($) => $.account.title)}>
          <Tabs.Tab value="general" leftSection={<IconUser size={17} aria-hidden />}>
            {t(($) => $.account.tabs.general)}
          </Tabs.Tab>
          <Tabs.Tab value="security" leftSection={<IconLock size={17} aria-hidden />}>
            {t(($) => $.account.tabs.security)}
          </Tabs.Tab>
          <Tabs.Tab value="crypto" leftSection={<IconWallet size={17} aria-hidden />}>
            {t(($) => $.account.tabs.crypto)}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="general">
          <ProfileCard user={user} />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <Stack gap="lg" maw={860}>
            {user.hold && <OutgoingHold {...user.hold} />}
            <PasswordCard />
            <TwoFactorCard user={user} />
            <LimitsCard />
            <Devices />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="crypto">{crypto}</Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Why money cannot leave now, and until when. */
function OutgoingHold({ until, reason }: NonNullable<Me['hold']>) {
  const { t } = useTranslation('identity');
  const reasons = t(($) => $.account.hold.reasons, { returnObjects: true });
  const cause = Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reasons.password;
  return (
    <Alert color="gold" variant="light" role="note" icon={<IconLock size={18} aria-hidden />}>
      {t(($) => $.account.hold.text, { cause })} <Countdown until={until} />
    </Alert>
  );
}
