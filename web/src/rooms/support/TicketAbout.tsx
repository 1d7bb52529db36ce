import { Anchor, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { mayRead } from '@/api/session';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { When } from '@/ui/When';
import { type Subject, screenOf, useKindName, useWorth } from './about';

/** What a ticket is about, as it stands now. `owner`: for staff, who find it on its own screen if they may go there. */
export function TicketAbout({ about, owner }: { about: Subject; owner?: string }) {
  const { t } = useTranslation('support');
  const worth = useWorth();
  const name = useKindName()(about.kind);
  const screen = owner !== undefined && mayRead('admin_permissions') ? screenOf(about.kind, owner) : null;
  return (
    <Group component="section" gap={8} aria-label={t(($) => $.about.title)} data-testid="ticket-about">
      <Text fz="sm" c="dimmed">
        {t(($) => $.about.title)}
      </Text>
      {screen ? (
        <Anchor component={Link} to={screen} fz="sm" fw={600}>
          {name}
        </Anchor>
      ) : (
        <Text fz="sm" fw={600}>
          {name}
        </Text>
      )}
      <Text fz="sm" className="num">
        {worth(about)}
      </Text>
      <StatusBadge status={about.status} size="sm" />
      <Text fz="xs" c="dimmed" component="div">
        <When at={about.at} />
      </Text>
    </Group>
  );
}
