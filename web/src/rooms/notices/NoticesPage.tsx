import { Badge, Button, Group, Stack } from '@mantine/core';
import { IconBell, IconCheck, IconSettings } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { useCan } from '@/api/session';
import { NoticeText } from '@/shared/notices/NoticeText';
import { readNotices } from '@/shared/notices/read';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { NewRows } from '@/ui/NewRows';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { usePress } from '@/ui/usePress';
import { When } from '@/ui/When';
import { AnnouncementDialog } from './AnnouncementDialog';
import { handOn, MARKS } from './focus';

type Row = Schemas['NotificationView'];
type Filter = 'group' | 'unread';

const GROUPS = [
  'money_in',
  'money_out',
  'licences',
  'robots',
  'network',
  'exchange',
  'support',
  'news',
  'security',
] as const satisfies readonly Row['group'][];

/** All that one was told, with what it is about, and whether it was read. */
export default function NoticesPage() {
  const { t } = useTranslation('shell');
  const { t: account } = useTranslation('account');
  const decides = useCan('admin_permissions');
  const lists = useCan('customer-service_list-tickets');
  const answers = useCan('customer-service_response-ticket');
  const groups: readonly Row['group'][] = [
    ...GROUPS,
    ...(answers ? (['tickets'] as const) : []),
    ...(decides || lists ? (['staff'] as const) : []),
  ];
  const list = useList('/notifications', {
    filters: ['group', 'unread'],
    sorts: 'never',
    live: ['notification'],
    calm: true,
  });
  const all = usePress(readNotices);
  const columns: Column<Row>[] = [
    {
      key: 'text',
      label: t(($) => $.notices.text),
      fixed: true,
      render: (row) => <NoticeText notice={row} />,
    },
    {
      key: 'group',
      label: t(($) => $.notices.group),
      render: ({ group }) => (
        <Badge variant="light" color="gray" tt="none" fw={500}>
          {account(($) => $.news.groups[group].name)}
        </Badge>
      ),
    },
    { key: 'at', label: t(($) => $.notices.at), fixed: true, render: ({ at }) => <When at={at} /> },
    {
      key: 'read',
      label: t(($) => $.notices.state),
      fixed: true,
      render: (row) => (row.read ? t(($) => $.notices.read) : <ReadButton row={row} />),
    },
  ];
  return (
    <Stack gap="lg">
      <AnnouncementDialog />
      <PageHeader
        title={t(($) => $.notifications.title)}
        subtitle={t(($) => $.notices.hint)}
        action={
          <Group gap="xs">
            <NewRows list={list} label={t(($) => $.notices.fresh, { count: list.changed })} />
            <Button
              component={Link}
              to="/account-setting?tab=notifications"
              variant="default"
              leftSection={<IconSettings size={17} aria-hidden />}
            >
              {t(($) => $.notices.choose)}
            </Button>
            <Button
              disabled={!list.data?.unread}
              loading={all.busy}
              leftSection={<IconCheck size={17} aria-hidden />}
              onClick={() => void all.run(null)}
            >
              {t(($) => $.notifications.readAll)}
            </Button>
          </Group>
        }
      />
      <List<Row, Filter>
        list={list}
        name="notices"
        label={t(($) => $.notifications.title)}
        what={t(($) => $.notifications.what)}
        rowKey={({ id }) => id}
        columns={columns}
        fields={[
          {
            kind: 'select',
            name: 'group',
            label: t(($) => $.notices.group),
            options: groups.map((group) => ({
              value: group,
              label: account(($) => $.news.groups[group].name),
            })),
          },
          {
            kind: 'select',
            name: 'unread',
            label: t(($) => $.notices.state),
            options: [
              { value: 'true', label: t(($) => $.notices.unread) },
              { value: 'false', label: t(($) => $.notices.read) },
            ],
          },
        ]}
        empty={
          <EmptyState
            icon={<IconBell size={26} stroke={1.5} />}
            title={t(($) => $.notifications.empty)}
            hint={t(($) => $.notifications.emptyHint)}
          />
        }
      />
    </Stack>
  );
}

function ReadButton({ row }: { row: Row }) {
  const { t } = useTranslation('shell');
  const button = useRef<HTMLButtonElement>(null);
  const { busy, run } = usePress(readNotices, () => handOn(button.current));
  return (
    <Button
      {...MARKS}
      ref={button}
      size="compact-sm"
      variant="subtle"
      mih={{ base: 44, sm: 26 }}
      loading={busy}
      onClick={() => void run([row.id])}
    >
      {t(($) => $.notices.markRead)}
    </Button>
  );
}
