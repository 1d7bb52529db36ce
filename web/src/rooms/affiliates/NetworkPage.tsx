import { Card, Grid, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconBinaryTree, IconMedal, IconSparkles, IconUsersGroup } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { useBalances } from '@/live/balances';
import { MemberName } from '@/shared/network/MemberName';
import { PaidBy } from '@/shared/network/PaidBy';
import { standing } from '@/shared/network/standing';
import { askOrigin } from '@/shared/origin/origin';
import { MemberFace } from '@/shared/people/MemberFace';
import { hasSocial, SocialLinks } from '@/shared/people/SocialLinks';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { FlashValue } from '@/ui/FlashValue';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { BonusChart, GrowthChart, LegChart } from './charts';
import { InviteLink } from './InviteLink';
import { NETWORK } from './network';
import { RankCard } from './RankCard';
import { Tonight } from './Tonight';
import { WithdrawBonus } from './WithdrawBonus';
import { useWords } from './words';

/** Sales below somebody tell nobody above: their figures and what tonight would bring are asked for again, and the page says so. */
const AGAIN_MS = 60_000;

/** /affiliate-network/dashboard: the network at a glance. */
export default function NetworkPage() {
  const { t } = useTranslation('affiliates');
  const format = useFormat();
  const words = useWords();
  const user = useUser();
  const bonus = useBalances(({ bonus }) => bonus?.balance) ?? '0';
  const answer = $api.useQuery('get', NETWORK, {}, { refetchInterval: AGAIN_MS });
  const { data } = answer;
  const loading = !data;
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.network.title)}
        subtitle={[
          data?.closedDay
            ? t(($) => $.network.closed, { day: format.date(data.closedDay) })
            : t(($) => $.network.subtitle),
          t(($) => $.network.renewed),
        ].join(' · ')}
        action={
          <Group gap="xs">
            <InviteLink />
            <WithdrawBonus />
          </Group>
        }
      />
      {answer.error && !data ? (
        <ErrorCard what={t(($) => $.network.what)} error={answer.error} onRetry={answer.refetch} />
      ) : (
        <>
          <SimpleGrid cols={{ base: 2, lg: 4 }}>
            <StatTile
              label={t(($) => $.network.bonus)}
              value={
                <FlashValue value={bonus}>
                  <Money value={bonus} onOrigin={askOrigin({ account: 'bonus' })} />
                </FlashValue>
              }
              icon={<IconSparkles size={20} />}
            />
            <StatTile
              label={t(($) => $.network.team)}
              value={
                <FlashValue value={data?.activeReferrals ?? 0}>
                  {format.count(data?.activeReferrals ?? 0)}
                </FlashValue>
              }
              hint={t(($) => $.network.ofReferrals, { all: format.count(data?.referrals ?? 0) })}
              loading={loading}
              icon={<IconUsersGroup size={20} />}
              href="/affiliate-network/direct-references"
            />
            <StatTile
              label={t(($) => $.network.points)}
              value={
                data ? (
                  <FlashValue value={`${standing(data.left)}${standing(data.right)}`}>
                    <span>{words.points(standing(data.left))}</span> |{' '}
                    <span>{words.points(standing(data.right))}</span>
                  </FlashValue>
                ) : (
                  '–'
                )
              }
              hint={t(($) => $.network.members, {
                left: format.count(data?.leftMembers ?? 0),
                right: format.count(data?.rightMembers ?? 0),
              })}
              loading={loading}
              icon={<IconBinaryTree size={20} />}
              href="/affiliate-network/binary-tree"
            />
            <StatTile
              label={t(($) => $.network.rank)}
              value={data?.rank ? words.rank(data.rank) : t(($) => $.network.noRank)}
              hint={t(($) => $.network.paidPoints, { points: words.points(data?.paidPoints ?? '0') })}
              loading={loading}
              icon={<IconMedal size={20} />}
            />
          </SimpleGrid>
          {data?.referrals === 0 && data.leftMembers + data.rightMembers === 0 && (
            <Card>
              <EmptyState
                icon={<IconUsersGroup size={26} stroke={1.5} />}
                title={t(($) => $.tree.empty)}
                hint={t(($) => $.tree.emptyHint)}
                action={<InviteLink />}
              />
            </Card>
          )}
          <PaidBy />
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 8 }}>
              {data ? <Tonight data={data} /> : <Skeleton h={260} radius="lg" />}
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }}>
              <RankCard rank={user?.graduation ?? null} next={user?.nextGraduationInfo ?? null} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 8 }}>
              <Card h="100%">{data ? <BonusChart data={data} /> : <Skeleton h={280} radius="md" />}</Card>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }}>
              <Card h="100%">{data ? <LegChart data={data} /> : <Skeleton h={280} radius="md" />}</Card>
            </Grid.Col>
            <Grid.Col span={12}>
              <Card>{data ? <GrowthChart data={data} /> : <Skeleton h={280} radius="md" />}</Card>
            </Grid.Col>
          </Grid>
          {user?.sponsor && (
            <Card component="section" aria-labelledby="upline">
              <Group justify="space-between">
                <div>
                  <Title order={2} fz={15} id="upline">
                    {t(($) => $.network.upline)}
                  </Title>
                  <Text fz="sm" c="dimmed" component="div">
                    <MemberFace username={user.sponsor.username} fullName={user.sponsor.firstName}>
                      <span>{user.sponsor.firstName}</span> (<MemberName username={user.sponsor.username} />)
                    </MemberFace>
                  </Text>
                  {hasSocial(user.sponsor.social) && (
                    <SocialLinks social={user.sponsor.social} username={user.sponsor.username} />
                  )}
                </div>
                <Text
                  component={Link}
                  to="/affiliate-network/bonus-report"
                  fz="sm"
                  c="var(--mantine-color-anchor)"
                >
                  {t(($) => $.network.allBonuses)}
                </Text>
              </Group>
            </Card>
          )}
        </>
      )}
    </Stack>
  );
}
