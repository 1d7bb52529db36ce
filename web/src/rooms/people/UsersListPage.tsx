import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useCan } from '@/api/session';
import { PersonCell, PersonLink, personPath } from '@/shared/people/PersonCell';
import { useRoleField } from '@/shared/people/roles';
import { useRoleName } from '@/shared/people/useRoleName';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { Money } from '@/ui/Money';
import { PageHeader } from '@/ui/PageHeader';
import { StatTile } from '@/ui/StatTile';
import { useList } from '@/ui/useList';
import { AddUser } from './AddUser';
import { PersonMenu } from './PersonMenu';
import { LIST, type Row } from './people';
import { States } from './States';
import { useDecides } from './useDecides';

/** /administrator/users/list: find people, and what can be done with them. */
export default function UsersListPage() {
  const { t } = useTranslation('people');
  const navigate = useNavigate();
  const format = useFormat();
  const roleName = useRoleName();
  const role = useRoleField();
  const money = useCan('admin_permissions');
  const views = useCan('customer-service_user-view');
  const edits = useCan('customer-service_user-edit');
  const decides = useDecides();
  const [adding, setAdding] = useState(false);
  const list = useList(LIST, {
    filters: ['search', 'status', 'function', 'emailConfirmed', 'startDate', 'endDate'],
    ask: ({ filters }) =>
      filters.emailConfirmed ? { emailConfirmed: filters.emailConfirmed === 'true' } : {},
    file: true,
  });
  const columns: Column<Row>[] = [
    {
      key: 'user',
      label: t(($) => $.list.user),
      sort: 'fullName',
      fixed: true,
      render: (row) => <PersonCell person={{ ...row, avatar: row.avatar ?? null }} width={170} />,
    },
    {
      key: 'email',
      label: t(($) => $.list.email),
      sort: 'email',
      render: ({ email }) => (
        <Text fz="sm" truncate maw={{ base: 220, sm: 170 }} title={email}>
          {email}
        </Text>
      ),
    },
    {
      key: 'roles',
      label: t(($) => $.list.roles),
      render: (row) => (
        <Group gap={4}>
          {row.roles.map((name) => (
            <Badge key={name} variant="light" color="gray" tt="none" fw={500}>
              {roleName(name)}
            </Badge>
          ))}
          {row.roles.length === 0 && '–'}
        </Group>
      ),
    },
    {
      key: 'sponsor',
      label: t(($) => $.list.sponsor),
      render: ({ sponsor }) => (sponsor ? <PersonLink id={sponsor._id} username={sponsor.username} /> : '–'),
    },
    ...(money
      ? [
          {
            key: 'balance',
            label: t(($) => $.list.balance),
            align: 'right',
            sort: 'balance',
            render: (row: Row) => <Money value={row.balance ?? undefined} digits={4} unit={false} />,
          } as const,
        ]
      : []),
    {
      key: 'since',
      label: t(($) => $.list.since),
      sort: 'created_at',
      render: (row) => <span className="num">{format.date(row.created_at)}</span>,
    },
    {
      key: 'status',
      label: t(($) => $.list.status),
      sort: 'status',
      fixed: true,
      render: (row) => (
        <Stack gap={4} align="start">
          <StatusBadge status={row.status} size="sm" />
          <States person={row} short />
        </Stack>
      ),
    },
    ...(views || edits
      ? [
          {
            key: 'actions',
            label: t(($) => $.list.act),
            fixed: true,
            width: 64,
            render: (row: Row) => <PersonMenu person={row} two={decides(row.roles)} />,
          },
        ]
      : []),
  ];
  const add = (
    <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={() => setAdding(true)}>
      {t(($) => $.add.open)}
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.list.title)} subtitle={t(($) => $.list.subtitle)} action={edits && add} />
      {money && (
        <SimpleGrid cols={2}>
          <StatTile
            label={t(($) => $.list.found)}
            value={list.meta ? format.count(list.meta.total) : '–'}
            loading={list.isPending}
          />
          <StatTile
            label={t(($) => $.list.sum)}
            value={<Money value={list.data?.balance ?? undefined} />}
            loading={list.isPending}
          />
        </SimpleGrid>
      )}
      <List
        list={list}
        name="usuarios"
        label={t(($) => $.list.title)}
        what={t(($) => $.list.what)}
        columns={columns}
        {...(views && { onOpen: (row: Row) => void navigate(personPath(row._id)) })}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.list.search) },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.list.status),
            options: [
              { value: 'active', label: t(($) => $.list.active) },
              { value: 'inactive', label: t(($) => $.list.inactive) },
              { value: 'closed', label: t(($) => $.list.closed) },
            ],
          },
          role,
          {
            kind: 'select',
            name: 'emailConfirmed',
            label: t(($) => $.list.email),
            options: [
              { value: 'true', label: t(($) => $.list.confirmed) },
              { value: 'false', label: t(($) => $.list.unconfirmed) },
            ],
          },
        ]}
        empty={
          <EmptyState
            icon={<IconUsers size={26} stroke={1.5} />}
            title={t(($) => $.list.empty)}
            hint={t(($) => $.list.emptyHint)}
          />
        }
      />
      <AddUser opened={adding} onClose={() => setAdding(false)} />
    </Stack>
  );
}
