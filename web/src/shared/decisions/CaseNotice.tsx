import { Alert, Anchor, Group, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { screenAt } from '@/api/screens';
import { StatusBadge } from '@/shared/status/StatusBadge';

interface CaseNoticeProps {
  note: Schemas['CaseNote'] | null | undefined;
  /** The case is decided by itself, before what waits for it. */
  first?: boolean;
}

/** What the compliance rules said of a thing that waits, with the way to its case. */
export function CaseNotice({ note, first = false }: CaseNoticeProps) {
  const { t: lists } = useTranslation('lists');
  if (!note) return null;
  const open = note.status === 'open';
  return (
    <Alert
      color={note.status === 'refused' ? 'red' : open ? 'gold' : 'gray'}
      variant="light"
      role="note"
      icon={<IconShieldCheck size={18} aria-hidden />}
      data-testid="case-notice"
    >
      <Group justify="space-between" gap="xs">
        <Text fz="sm" fw={600}>
          {lists(($) => $.case.title)}
        </Text>
        <StatusBadge status={note.status} size="sm" />
      </Group>
      <Text fz="sm">
        {note.reasons.map((name) => lists(($) => $.case.reason[name as 'amount'])).join(' · ')}
      </Text>
      {open && (
        <Text fz="sm" c="dimmed">
          {first ? lists(($) => $.case.first) : lists(($) => $.case.together)}
        </Text>
      )}
      <Anchor component={Link} to={screenAt(QUEUES.compliance, { tab: 'all', search: note._id })} fz="sm">
        {lists(($) => $.case.open)}
      </Anchor>
    </Alert>
  );
}
