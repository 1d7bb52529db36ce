import { Anchor, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { pathOf, type Side, type Ticket } from './conversation';

/** Where one goes on, above a conversation that is over. */
export function MergedInto({ ticket, side }: { ticket: Ticket; side: Side }) {
  const { t } = useTranslation('support');
  const into = ticket.mergedInto;
  if (!into) return null;
  return (
    <Group gap={8} role="note" data-testid="merged-into">
      <Text fz="sm" c="dimmed">
        {t(($) => $.double.over)}
      </Text>
      <Anchor component={Link} to={pathOf(side, into._id)} fz="sm" fw={600}>
        {t(($) => $.double.into, { number: into.number })}
      </Anchor>
    </Group>
  );
}
