import { ActionIcon, Anchor, Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowUp,
  IconMessageBolt,
  IconPencil,
  IconPlus,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QUEUES } from '@/api/queues';
import { currentLocale } from '@/i18n';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { PageHeader } from '@/ui/PageHeader';
import { usePress } from '@/ui/usePress';
import { CannedForm } from './CannedForm';
import { moved } from './canned';
import { type Canned, orderCanned, retireCanned, useCannedReplies } from './desk';
import classes from './Screens.module.css';

/** The replies that staff keep ready: their texts, their order, which of them are in use. */
export default function CannedPage() {
  const { t } = useTranslation('desk');
  const { data, error, refetch } = useCannedReplies();
  /** The one that is being written; `null` in it: a new one. */
  const [writing, setWriting] = useState<{ reply: Canned | null } | null>(null);
  const used = data?.data.filter(({ retired }) => !retired);
  const retired = data?.data.filter((reply) => reply.retired) ?? [];
  const create = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setWriting({ reply: null })}>
      {t(($) => $.canned.new)}
    </Button>
  );
  return (
    <Stack gap="lg">
      <Anchor component={Link} to={QUEUES.tickets.screen} fz="sm" w="fit-content">
        <Group gap={6} component="span">
          <IconArrowLeft size={16} aria-hidden />
          <span>{t(($) => $.canned.back)}</span>
        </Group>
      </Anchor>
      <PageHeader title={t(($) => $.canned.title)} subtitle={t(($) => $.canned.subtitle)} action={create} />
      {error && !data ? (
        <ErrorCard what={t(($) => $.canned.what)} error={error} onRetry={refetch} />
      ) : !used ? (
        <Skeleton h={240} radius="md" />
      ) : used.length === 0 ? (
        <EmptyState
          icon={<IconMessageBolt size={26} stroke={1.5} />}
          title={t(($) => $.canned.empty)}
          hint={t(($) => $.canned.emptyHint)}
          action={create}
        />
      ) : (
        <Used replies={used} onEdit={(reply) => setWriting({ reply })} />
      )}
      {retired.length > 0 && <Retired replies={retired} />}
      <CannedForm writing={writing} onClose={() => setWriting(null)} />
    </Stack>
  );
}

function Used({ replies, onEdit }: { replies: readonly Canned[]; onEdit: (reply: Canned) => void }) {
  const { t } = useTranslation('desk');
  const order = usePress(orderCanned);
  const retire = usePress(retireCanned);
  const move = (place: number, by: -1 | 1) => void order.run(moved(replies, place, by).map(({ _id }) => _id));
  return (
    <ol className={classes.replies} aria-label={t(($) => $.canned.title)}>
      {replies.map((reply, place) => (
        <Card component="li" key={reply._id} padding="sm">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <Stack gap={4}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t(($) => $.canned.up, { title: reply.title })}
                disabled={place === 0 || order.busy}
                onClick={() => move(place, -1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t(($) => $.canned.down, { title: reply.title })}
                disabled={place === replies.length - 1 || order.busy}
                onClick={() => move(place, 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
            </Stack>
            <Words reply={reply} />
            <Group gap="xs" justify="flex-end">
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconPencil size={14} aria-hidden />}
                onClick={() => onEdit(reply)}
              >
                {t(($) => $.canned.edit)}
              </Button>
              <Button
                size="compact-sm"
                variant="subtle"
                disabled={retire.busy}
                onClick={() => void retire.run({ id: reply._id, retired: true })}
              >
                {t(($) => $.canned.retire)}
              </Button>
            </Group>
          </Group>
        </Card>
      ))}
    </ol>
  );
}

function Retired({ replies }: { replies: readonly Canned[] }) {
  const { t } = useTranslation('desk');
  const back = usePress(retireCanned);
  return (
    <Stack gap="sm">
      <Title order={2} fz="md">
        {t(($) => $.canned.retired)}
      </Title>
      <ul className={classes.replies} aria-label={t(($) => $.canned.retired)}>
        {replies.map((reply) => (
          <Card component="li" key={reply._id} padding="sm">
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Words reply={reply} />
              <Button
                size="compact-sm"
                variant="subtle"
                disabled={back.busy}
                onClick={() => void back.run({ id: reply._id, retired: false })}
              >
                {t(($) => $.canned.bringBack)}
              </Button>
            </Group>
          </Card>
        ))}
      </ul>
    </Stack>
  );
}

/** Title and text, in the reader's own language. */
function Words({ reply }: { reply: Canned }) {
  return (
    <div className={classes.replyWords} translate="no">
      <Text fz="sm" fw={600}>
        {reply.title}
      </Text>
      <Text fz="sm" c="dimmed" lineClamp={3}>
        {reply.text[currentLocale()]}
      </Text>
    </div>
  );
}
