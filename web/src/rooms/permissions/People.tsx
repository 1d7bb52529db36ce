import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { PersonCell, PersonHandles } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { useList } from '@/ui/useList';
import { ChangeRole } from './ChangeRole';
import { FreezeDialog } from './FreezeDialog';
import { freezeOf, type Grants, HOLDERS, type Holder, useRoles } from './permissions';
import { useWords } from './useWords';

/** People with their roles: without a search those of the staff. */
export function People({ grants }: { grants: Grants | undefined }) {
  const { t } = useTranslation('permissions');
  const words = useWords();
  const me = useUser()?._id;
  const roles = useRoles();
  const list = useList(HOLDERS, { filters: ['search'], sorts: 'never' });
  const [changing, setChanging] = useState<Holder | null>(null);
  const [freezing, setFreezing] = useState<Holder | null>(null);
  const mine = freezeOf(grants, me);
  const nameOf = (id: string) => words.role(roles.data?.data.find(({ _id }) => _id === id)?.name ?? '…');
  const columns: readonly Column<Holder>[] = [
    {
      key: 'person',
      label: t(($) => $.person),
      fixed: true,
      render: ({ person, active }) => (
        <Group gap={8}>
          <PersonCell person={person} />
          {!active && <StatusBadge status="inactive" size="sm" />}
        </Group>
      ),
    },
    {
      key: 'roles',
      label: t(($) => $.roles),
      render: (holder) => (
        <Group gap={4}>
          {holder.roles.map((id) => (
            <Badge key={id} variant="light" color="gray" tt="none">
              {nameOf(id)}
            </Badge>
          ))}
          {holder.roles.length === 0 && '–'}
        </Group>
      ),
    },
    {
      key: 'decides',
      label: t(($) => $.decides),
      render: (holder) => <Decides holder={holder} />,
    },
    {
      key: 'act',
      label: t(($) => $.act),
      fixed: true,
      render: (holder) => (
        <Group gap={6}>
          <GuardedButton
            size="compact-sm"
            variant="default"
            allowed={holder.person._id !== me && !mine && roles.data !== undefined}
            reason={
              mine
                ? t(($) => $.freeze.you)
                : holder.person._id === me
                  ? t(($) => $.own)
                  : t(($) => $.peopleWhat)
            }
            onClick={() => setChanging(holder)}
          >
            {t(($) => $.change.open)}
          </GuardedButton>
          {holder.decides && holder.person._id !== me && !holder.decides.frozen && !mine && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              leftSection={<IconSnowflake size={15} aria-hidden />}
              onClick={() => setFreezing(holder)}
            >
              {t(($) => $.freeze.open)}
            </Button>
          )}
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="md">
      <List<Holder, 'search'>
        list={list}
        name="role-holders"
        label={t(($) => $.tabs.people)}
        what={t(($) => $.peopleWhat)}
        columns={columns}
        rowKey={({ person }) => person._id}
        fields={[{ kind: 'search', name: 'search', label: t(($) => $.search) }]}
        empty={<EmptyState title={t(($) => $.nobody)} hint={t(($) => $.searchHint)} />}
      />
      {changing && roles.data && (
        <ChangeRole
          holder={changing}
          roles={roles.data.data}
          hours={grants?.newApproverHours}
          onClose={() => setChanging(null)}
        />
      )}
      {freezing && <FreezeDialog holder={freezing} onClose={() => setFreezing(null)} />}
    </Stack>
  );
}

/** Whether somebody decides, since when, and by whose word. */
function Decides({ holder: { decides } }: { holder: Holder }) {
  const { t } = useTranslation('permissions');
  const format = useFormat();
  if (!decides) return <>–</>;
  const waits = new Date(decides.countsAt).getTime() > Date.now();
  return (
    <div>
      <Group gap={6}>
        {decides.frozen && (
          <Badge color="red" variant="light" leftSection={<IconSnowflake size={13} aria-hidden />}>
            {t(($) => $.freeze.badge)}
          </Badge>
        )}
        <Text fz="sm">
          {waits ? t(($) => $.from, { at: format.dateTime(decides.countsAt) }) : t(($) => $.yes)}
        </Text>
      </Group>
      <Text fz="xs" c="dimmed">
        <span>{decides.grantedBy ? t(($) => $.grantedBy) : t(($) => $.byNobody)}</span>{' '}
        {decides.grantedBy && <PersonHandles names={[decides.grantedBy, decides.secondedBy]} />}
      </Text>
    </div>
  );
}
