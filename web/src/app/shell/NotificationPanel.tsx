import { ActionIcon, Anchor, Button, Drawer, Group, Indicator, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { $api } from '@/api/hooks';
import { NoticeText } from '@/shared/notices/NoticeText';
import { LATEST, readNotices } from '@/shared/notices/read';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useToasts } from '@/ui/toast';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import classes from './NotificationPanel.module.css';

/** Bell and panel read the same answer, so that the number and the list never disagree. */
export function NotificationBell() {
  const { t } = useTranslation('shell');
  const [opened, { open, close }] = useDisclosure(false);
  const { data } = $api.useQuery('get', '/notifications', LATEST);
  const unread = data?.unread ?? 0;
  return (
    <>
      <Indicator color="gold" size={16} offset={5} disabled={unread === 0} label={unread > 9 ? '9+' : unread}>
        <ActionIcon
          size="lg"
          onClick={open}
          aria-haspopup="dialog"
          aria-label={t(($) => $.notifications.open, { count: unread })}
        >
          <IconBell size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Indicator>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        size={420}
        title={t(($) => $.notifications.title)}
        closeButtonProps={{ 'aria-label': t(($) => $.notifications.close) }}
      >
        {opened && <Panel onLeave={close} />}
      </Drawer>
    </>
  );
}

function Panel({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('shell');
  const query = $api.useQuery('get', '/notifications', LATEST);
  const kept = useToasts((state) => state.kept);
  const { busy, run } = useSubmit(readNotices);
  const items = query.data?.data ?? [];
  return (
    <Stack gap="md">
      {(query.data?.unread ?? 0) > 0 && (
        <Group justify="flex-end">
          <Button size="compact-sm" variant="subtle" loading={busy} onClick={() => void run(null)}>
            {t(($) => $.notifications.readAll)}
          </Button>
        </Group>
      )}
      {query.isPending && [1, 2, 3].map((row) => <Skeleton key={row} h={52} radius="md" />)}
      {query.isError && (
        <ErrorCard
          what={t(($) => $.notifications.what)}
          error={query.error}
          onRetry={() => query.refetch()}
        />
      )}
      {query.isSuccess && items.length === 0 && kept.length === 0 && (
        <EmptyState
          title={t(($) => $.notifications.empty)}
          hint={t(($) => $.notifications.emptyHint)}
          icon={<IconBell size={26} stroke={1.5} />}
        />
      )}
      {items.length > 0 && (
        <ul className={classes.list}>
          {items.map((item) => (
            <li key={item.id} className={classes.item} data-unread={!item.read || undefined}>
              <NoticeText notice={item} onOpen={onLeave} />
              <Text fz="xs" c="dimmed" component="div">
                <When at={item.at} relative />
              </Text>
            </li>
          ))}
        </ul>
      )}
      {query.isSuccess && (
        <Anchor component={Link} to="/notifications" onClick={onLeave} fz="sm" fw={600}>
          {t(($) => $.notices.all)}
        </Anchor>
      )}
      {kept.length > 0 && (
        <div>
          <Text fz="xs" fw={600} c="dimmed" tt="uppercase" lts="0.06em" mb={4}>
            {t(($) => $.notifications.session)}
          </Text>
          <ul className={classes.list}>
            {kept.map((item) => (
              <li key={item.id} className={classes.item}>
                <Text fz="sm">{item.text}</Text>
                <Text fz="xs" c="dimmed" component="div">
                  <When at={item.at} relative />
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  );
}
