import { Badge, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { PersonCell, PersonHandles } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { ShortTable } from '@/ui/ShortTable';
import type { TableQuery } from '@/ui/useTableQuery';
import { ChangeRole } from './ChangeRole';
import { FreezeDialog } from './FreezeDialog';
import { freezeOf, type Grants, type Holder, useRoles } from './permissions';
import { useWords } from './useWords';

/** People with their roles: without a search those of the staff. */
export function People({
  table,
  grants,
}: {
  table: TableQuery<'tab' | 'search'>;
  grants: Grants | undefined;
}) {
  const { t } = useTranslation('permissions');
  const words = useWords();
  const format = useFormat();
  const me = useUser()?._id;
  const roles = useRoles();
  const search = table.filters.search ?? '';
  const people = $api.useQuery('get', '/admin/role-holders', {
    params: { query: search ? { search } : {} },
  });
  const [typed, setTyped] = useState(search);
  const ask = useDebouncedCallback((text: string) => table.setFilter('search', text.trim() || null), 300);
  const [changing, setChanging] = useState<Holder | null>(null);
  const [freezing, setFreezing] = useState<Holder | null>(null);
  const mine = freezeOf(grants, me);
  const nameOf = (id: string) => words.role(roles.data?.data.find(({ _id }) => _id === id)?.name ?? '…');
  return (
    <Stack gap="md">
      <TextInput
        label={t(($) => $.search)}
        description={t(($) => $.searchHint)}
        leftSection={<IconSearch size={17} aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          ask(event.currentTarget.value);
        }}
        maxLength={120}
        maw={420}
        autoComplete="off"
        spellCheck={false}
      />
      {people.error && !people.data ? (
        <ErrorCard what={t(($) => $.peopleWhat)} error={people.error} onRetry={people.refetch} />
      ) : !people.data || !roles.data ? (
        <Skeleton h={180} />
      ) : people.data.data.length === 0 ? (
        <EmptyState title={t(($) => $.nobody)} hint={t(($) => $.searchHint)} />
      ) : (
        <>
          <ShortTable<Holder>
            label={t(($) => $.tabs.people)}
            rows={people.data.data}
            rowKey={({ person }) => person._id}
            columns={[
              {
                key: 'person',
                label: t(($) => $.person),
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
                render: (holder) => (
                  <Group gap={6}>
                    <GuardedButton
                      size="compact-sm"
                      variant="default"
                      allowed={holder.person._id !== me && !mine}
                      reason={holder.person._id === me ? t(($) => $.own) : t(($) => $.freeze.you)}
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
            ]}
          />
          {/* The server tells no more of them, and not how many there are. */}
          {people.data.data.length >= people.data.meta.limit && (
            <Text fz="sm" c="dimmed">
              {t(($) => $.most, { most: format.count(people.data.meta.limit) })}
            </Text>
          )}
        </>
      )}
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
