import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconCertificate, IconPigMoney, IconRobot, IconWallet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { businessDay } from '@/api/clock';
import { $api } from '@/api/hooks';
import { inOrder, type Plan, useLicences } from '@/live/licences';
import { useOwnLicences } from '@/live/useOwnLicences';
import { askOrigin } from '@/shared/origin/origin';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { subtract, sum } from '@/ui/money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { BuyLicence } from './BuyLicence';
import { LicenceCard } from './LicenceCard';
import { LoansTab } from './LoansTab';
import { PoolsTab } from './PoolsTab';

/** Nothing came: that is no zero. */
const UNKNOWN = '–';
const TABS = ['mine', 'plans', 'loans', 'pools'] as const;

/** Buy and fund. */
export default function LicencesPage() {
  const { t } = useTranslation('licences');
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const tab = TABS.find((one) => one === asked) ?? 'mine';
  const own = useOwnLicences();
  const plans = $api.useQuery('get', '/licences/plans');
  const results = $api.useQuery('get', '/dashboard/my-results');
  const licences = inOrder(useLicences((book) => book.byId));
  const [buying, setBuying] = useState<Plan | null>(null);
  const active = licences.filter((licence) => licence.state === 'active');
  // Capital stays one's own in a licence that has ended; a ceiling ends with it.
  const capital = (of: 'topup' | 'allocated') => sum(licences.map((licence) => licence[of]));
  const ceiling = (of: 'networkCeiling' | 'networkUsed') => sum(active.map((licence) => licence[of]));
  const next = results.data?.myResults.nextYieldDay ?? undefined;
  const yieldDay = { open: next !== undefined && next === businessDay(), next };
  const show = (to: string) => setSearch(to === 'mine' ? {} : { tab: to }, { replace: true });
  const loading = own.isPending;
  const failed = own.isError && !own.data;
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.title)}
        subtitle={t(($) => $.subtitle)}
        live
        action={<Button onClick={() => show('plans')}>{t(($) => $.buy.title)}</Button>}
      />
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        <StatTile
          label={t(($) => $.tiles.active)}
          value={failed ? UNKNOWN : active.length}
          loading={loading}
          icon={<IconCertificate size={20} />}
        />
        <StatTile
          label={t(($) => $.tiles.topup)}
          value={failed ? UNKNOWN : <Live value={capital('topup')} account="topup" />}
          loading={loading}
          icon={<IconPigMoney size={20} />}
        />
        <StatTile
          label={t(($) => $.tiles.allocated)}
          value={failed ? UNKNOWN : <Live value={capital('allocated')} account="allocated" />}
          loading={loading}
          icon={<IconRobot size={20} />}
        />
        <StatTile
          label={t(($) => $.tiles.ceiling)}
          value={
            failed ? UNKNOWN : <Live value={subtract(ceiling('networkCeiling'), ceiling('networkUsed'))} />
          }
          loading={loading}
          icon={<IconWallet size={20} />}
        />
      </SimpleGrid>
      <Tabs value={tab} onChange={(to) => show(to ?? 'mine')} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="mine">{t(($) => $.tabs.mine)}</Tabs.Tab>
          <Tabs.Tab value="plans">{t(($) => $.tabs.plans)}</Tabs.Tab>
          <Tabs.Tab value="loans">{t(($) => $.tabs.loans)}</Tabs.Tab>
          <Tabs.Tab value="pools">{t(($) => $.tabs.pools)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="mine">
          {own.error ? (
            <ErrorCard what={t(($) => $.what)} error={own.error} onRetry={own.refetch} />
          ) : loading ? (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              <Skeleton h={380} radius="md" />
              <Skeleton h={380} radius="md" />
            </SimpleGrid>
          ) : licences.length === 0 ? (
            <EmptyState
              title={t(($) => $.empty)}
              action={<Button onClick={() => show('plans')}>{t(($) => $.seePlans)}</Button>}
            />
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {licences.map((licence) => (
                <LicenceCard key={licence._id} licence={licence} yieldDay={yieldDay} />
              ))}
            </SimpleGrid>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="loans">
          {own.error ? (
            <ErrorCard what={t(($) => $.what)} error={own.error} onRetry={own.refetch} />
          ) : loading ? (
            <Skeleton h={220} radius="md" />
          ) : (
            <LoansTab licences={licences} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="pools">
          <PoolsTab />
        </Tabs.Panel>
        <Tabs.Panel value="plans">
          {plans.error ? (
            <ErrorCard what={t(($) => $.plansWhat)} error={plans.error} onRetry={plans.refetch} />
          ) : (
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
              {plans.data?.map((plan) => (
                <PlanCard key={plan._id} plan={plan} onBuy={() => setBuying(plan)} />
              )) ?? Array.from({ length: 8 }, (_, n) => <Skeleton key={String(n)} h={180} radius="md" />)}
            </SimpleGrid>
          )}
        </Tabs.Panel>
      </Tabs>
      {buying && plans.data && (
        <BuyLicence
          plans={plans.data}
          first={buying}
          onClose={() => {
            setBuying(null);
            show('mine');
          }}
        />
      )}
    </Stack>
  );
}

function Live({ value, account }: { value: string; account?: string }) {
  return (
    <FlashValue value={value}>
      <Money value={value} {...(account && { onOrigin: askOrigin({ account }) })} />
    </FlashValue>
  );
}

function PlanCard({ plan, onBuy }: { plan: Plan; onBuy: () => void }) {
  const { t } = useTranslation('licences');
  const { percent } = useFormat();
  return (
    <Card component="article">
      <Title order={2} fz={20} className="num">
        <Money value={plan.value} />
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {plan.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)}
      </Text>
      <Stack gap={6} mb="md">
        {(
          [
            ['limit', <Money key="limit" value={plan.allocationLimit} />],
            ['maximumReturn', percent(plan.maximumReturn, 0)],
            ['networkCeiling', percent(plan.networkCeiling, 0)],
          ] as const
        ).map(([label, value]) => (
          <Group key={label} justify="space-between" gap="2px 10px" fz="sm">
            <Text span fz="sm" c="dimmed">
              {t(($) => $[label])}
            </Text>
            <span className="num">{value}</span>
          </Group>
        ))}
      </Stack>
      <Button variant="light" onClick={onBuy} mt="auto">
        {t(($) => $.buy.title)}
      </Button>
    </Card>
  );
}
