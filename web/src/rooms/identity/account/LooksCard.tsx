/** Who of the staff looked at one's account as one sees it oneself [docs/rules/identity.md#looking]. */
import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useRoleName } from '@/shared/people/useRoleName';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { Section } from '@/ui/Section';
import { When } from '@/ui/When';

const MINUTE_MS = 60_000;

export function LooksCard() {
  const { t } = useTranslation('account');
  const roleName = useRoleName();
  const { data, error, refetch } = $api.useQuery('get', '/me/looks', undefined, {
    // No fact tells the end of one that still goes on.
    refetchInterval: ({ state }) => (state.data?.data.some(({ endedAt }) => !endedAt) ? MINUTE_MS : false),
  });
  return (
    <Section title={t(($) => $.looks.title)} hint={t(($) => $.looks.hint)}>
      {error && !data ? (
        <ErrorCard what={t(($) => $.looks.what)} error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton h={90} />
      ) : data.data.length === 0 ? (
        <EmptyState icon={<IconEye size={26} stroke={1.5} />} title={t(($) => $.looks.empty)} />
      ) : (
        <Stack
          gap="sm"
          component="ul"
          m={0}
          p={0}
          style={{ listStyle: 'none' }}
          aria-label={t(($) => $.looks.title)}
        >
          {data.data.map((look) => (
            <li key={look._id}>
              <Group gap={8}>
                <Text fz="sm" fw={600} component="div">
                  <When at={look.beganAt} />
                </Text>
                {!look.endedAt && (
                  <Badge size="sm" variant="light" color="gold">
                    {t(($) => $.looks.now)}
                  </Badge>
                )}
              </Group>
              <Text fz="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
                <span translate="no">{look.by}</span>
                <span>{` · ${roleName(look.role)} · `}</span>
                <span>{t(($) => $.looks.why)}</span> <span>{look.reason}</span>
              </Text>
            </li>
          ))}
        </Stack>
      )}
    </Section>
  );
}
