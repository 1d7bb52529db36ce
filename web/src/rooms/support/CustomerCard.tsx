import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { PersonLink } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { useFormat } from '@/ui/format';
import { When } from '@/ui/When';
import { useKindName, useWorth } from './about';
import classes from './Screens.module.css';

type Customer = Schemas['CustomerPanel'];

/** The person behind a ticket: who they are and what they did last. */
export function CustomerCard({ customer }: { customer: Customer }) {
  const { t } = useTranslation('support');
  const { date } = useFormat();
  const worth = useWorth();
  const kind = useKindName();
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap">
        <PersonAvatar person={customer} size={40} />
        <div style={{ minWidth: 0 }}>
          <Title order={2} fz={15} style={{ overflowWrap: 'anywhere' }}>
            <PersonLink id={customer._id} username={customer.username}>
              {customer.fullName}
            </PersonLink>
          </Title>
          <Text fz="sm" c="dimmed">
            <span translate="no">@{customer.username}</span>
          </Text>
        </div>
      </Group>
      <dl className={classes.facts}>
        <div>
          <dt>{t(($) => $.panel.status)}</dt>
          <dd>
            <Badge color={customer.status === 'active' ? 'mint' : 'gray'} size="sm">
              {customer.status === 'active' ? t(($) => $.panel.active) : t(($) => $.panel.inactive)}
            </Badge>
          </dd>
        </div>
        <div>
          <dt>{t(($) => $.panel.since)}</dt>
          <dd>{date(customer.created_at)}</dd>
        </div>
        <div>
          <dt>{t(($) => $.panel.tickets)}</dt>
          <dd>{t(($) => $.panel.openTickets, { open: customer.openTickets, total: customer.tickets })}</dd>
        </div>
      </dl>
      <div>
        <Text fz="xs" c="dimmed" mb={6}>
          {t(($) => $.panel.recent)}
        </Text>
        {customer.recent.length === 0 ? (
          <Text fz="sm">{t(($) => $.panel.none)}</Text>
        ) : (
          <Stack gap={10}>
            {customer.recent.map((subject) => (
              <div key={subject.id}>
                <Group justify="space-between" gap={6} wrap="nowrap">
                  <Text fz="sm" fw={500}>
                    {kind(subject.kind)}
                  </Text>
                  <Text fz="sm" fw={600} className="num">
                    {worth(subject)}
                  </Text>
                </Group>
                <Group justify="space-between" gap={6} mt={3}>
                  <StatusBadge status={subject.status} size="xs" />
                  <Text fz="xs" c="dimmed" component="div">
                    <When at={subject.at} relative />
                  </Text>
                </Group>
              </div>
            ))}
          </Stack>
        )}
      </div>
    </Stack>
  );
}
