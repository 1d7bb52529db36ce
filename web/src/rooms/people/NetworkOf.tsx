import { Alert, Breadcrumbs, Card, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconBinaryTree, IconMedal, IconUsersGroup } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { useBonusName } from '@/shared/network/bonusKinds';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { add } from '@/ui/money';
import { ShortTable } from '@/ui/ShortTable';
import { StatTile } from '@/ui/StatTile';
import { NETWORK, type Network } from './people';
import { useNetworkWords } from './useNetworkWords';

/** A person's place in the network: who brought them, whom they brought, legs, rank, bonuses. */
export function NetworkOf({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const answer = $api.useQuery('get', NETWORK, { params: { path: { id } } }, { retry: false });
  if (answer.error && !answer.data)
    return asApiError(answer.error).status === 404 ? (
      <Card>
        <EmptyState
          icon={<IconBinaryTree size={26} stroke={1.5} />}
          title={t(($) => $.network.empty)}
          hint={t(($) => $.network.emptyHint)}
        />
      </Card>
    ) : (
      <ErrorCard what={t(($) => $.network.what)} error={answer.error} onRetry={answer.refetch} />
    );
  if (!answer.data) return <Skeleton h={320} radius="lg" />;
  return <Shown network={answer.data} />;
}

function Shown({ network }: { network: Network }) {
  const { t } = useTranslation('people');
  const format = useFormat();
  const words = useNetworkWords();
  const bonusName = useBonusName();
  // Money is told to those who decide about it.
  const { sponsors, left, right, rank, bonuses, n } = network;
  const points = (leg: Network['left']) => format.decimal(add(leg.points.carried, leg.points.fresh), 0);
  return (
    <Stack gap="lg">
      <Card component="section" aria-labelledby="sponsors">
        <Title order={2} fz={15} mb="sm" id="sponsors">
          {t(($) => $.network.sponsors)}
        </Title>
        {sponsors.length === 0 ? (
          <Text fz="sm">{t(($) => $.network.top)}</Text>
        ) : (
          <Breadcrumbs separator="›" style={{ flexWrap: 'wrap' }}>
            {sponsors.map(({ _id, username, isHouse }) =>
              isHouse ? (
                <Text key={_id} fz="sm" c="dimmed">
                  <MemberName username={username} />
                </Text>
              ) : (
                <Text key={_id} fz="sm" component="span">
                  <PersonHandle id={_id} username={username} />
                </Text>
              ),
            )}
          </Breadcrumbs>
        )}
      </Card>
      <SimpleGrid cols={{ base: 2, lg: typeof n === 'string' ? 4 : 3 }}>
        <StatTile
          label={t(($) => $.network.referrals)}
          value={format.count(network.referrals)}
          hint={t(($) => $.network.active, { number: format.count(network.activeReferrals) })}
          icon={<IconUsersGroup size={20} />}
        />
        <StatTile
          label={t(($) => $.network.points)}
          value={`${points(left)} | ${points(right)}`}
          hint={t(($) => $.network.members, {
            left: format.count(left.members),
            right: format.count(right.members),
          })}
          icon={<IconBinaryTree size={20} />}
        />
        <StatTile
          label={t(($) => $.view.rank)}
          value={rank ? words.rank(rank) : '–'}
          hint={t(($) => $.network.paid, { points: format.decimal(network.paidPoints, 0) })}
          icon={<IconMedal size={20} />}
        />
        {typeof n === 'string' && (
          <StatTile
            label={t(($) => $.network.base)}
            value={<Money value={n} />}
            hint={
              <>
                <span>{t(($) => $.network.highest)}</span> <Money value={network.highestN ?? '0'} />
              </>
            }
          />
        )}
      </SimpleGrid>
      {!network.binaryActive && network.binaryNeeds.length > 0 && (
        <Alert color="gold" variant="light" title={t(($) => $.states.noBinary)}>
          {network.binaryNeeds.map((need) => words.need(need)).join('. ')}
        </Alert>
      )}
      {bonuses && (
        <Card component="section" aria-labelledby="bonuses-of">
          <Title order={2} fz={15} mb="sm" id="bonuses-of">
            {t(($) => $.network.bonuses)}
          </Title>
          {bonuses.length === 0 ? (
            <Text fz="sm" c="dimmed">
              {t(($) => $.network.noBonus)}
            </Text>
          ) : (
            <ShortTable
              label={t(($) => $.network.bonuses)}
              rows={bonuses}
              rowKey={({ kind, level }) => `${kind}:${level}`}
              columns={[
                { key: 'kind', label: t(($) => $.network.kind), render: (row) => bonusName(row) },
                {
                  key: 'count',
                  label: t(($) => $.network.count),
                  figure: true,
                  render: (row) => format.count(row.count),
                },
                {
                  key: 'paid',
                  label: t(($) => $.network.paidValue),
                  figure: true,
                  render: (row) => <Money value={row.paid} digits={4} unit={false} />,
                },
                {
                  key: 'waiting',
                  label: t(($) => $.network.waiting),
                  figure: true,
                  render: (row) => <Money value={row.waiting} digits={4} unit={false} />,
                },
              ]}
            />
          )}
        </Card>
      )}
    </Stack>
  );
}
