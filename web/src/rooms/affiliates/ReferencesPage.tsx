import { Anchor, Breadcrumbs, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMemberName } from '@/shared/network/useMemberName';
import { MemberFace } from '@/shared/people/MemberFace';
import { hasSocial, SocialLinks } from '@/shared/people/SocialLinks';
import { StatusBadge } from '@/shared/status/StatusBadge';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { useFormat } from '@/ui/format';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { InviteLink } from './InviteLink';
import type { Reference } from './network';
import { type Step, stepsOf, textOf } from './path';
import { useWords } from './words';

const LEVELS = Array.from({ length: 10 }, (_, n) => String(n + 1));
const STATES = ['active', 'inactive'] as const;

/** /affiliate-network/direct-references: who came by oneself, level by level, and by whom of them. */
export default function ReferencesPage() {
  const { t } = useTranslation('affiliates');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const words = useWords();
  const nameOf = useMemberName();
  const list = useList('/affiliates/reference-list', {
    filters: ['search', 'status', 'depth', 'path'],
    own: ['depth', 'path'],
    limit: 50,
    live: ['closing.booked'],
    ask: ({ filters }) => {
      const whose = stepsOf(filters.path).at(-1);
      return { level: Number(levelOf(filters.depth)), ...(whose && { affiliateId: whose.id }) };
    },
    file: true,
  });
  const steps = stepsOf(list.state.filters.path);
  const level = levelOf(list.state.filters.depth);
  const open = (path: readonly Step[]) =>
    list.state.setFilters({ path: textOf(path), depth: null, search: null, status: null });
  const own = steps.length === 0 && level === '1';
  const columns: Column<Reference>[] = [
    {
      key: 'user',
      label: t(($) => $.references.user),
      sort: 'username',
      fixed: true,
      render: (row) => (
        <Text span fz="sm" fw={600}>
          <MemberFace username={row.username} />
        </Text>
      ),
    },
    {
      key: 'status',
      label: t(($) => $.status),
      render: (row) => <StatusBadge status={row.status} />,
    },
    {
      key: 'rank',
      label: t(($) => $.rank),
      sort: 'rank',
      render: (row) => (row.rank ? words.rank(row.rank) : '–'),
    },
    {
      key: 'leg',
      label: t(($) => $.references.leg),
      render: (row) => (row.leg ? words.leg(row.leg) : t(($) => $.references.noPlace)),
    },
    {
      key: 'points',
      label: t(($) => $.references.points),
      align: 'right',
      sort: 'points',
      render: (row) => <span className="num">{words.points(row.points)}</span>,
    },
    {
      key: 'references',
      label: t(($) => $.references.brought),
      align: 'right',
      fixed: true,
      render: (row) => <span className="num">{format.count(row.references)}</span>,
    },
    // Where people are found elsewhere is told to who brought them.
    ...(own
      ? [
          {
            key: 'social',
            label: t(($) => $.references.social),
            render: (row: Reference) =>
              hasSocial(row.social) ? <SocialLinks social={row.social} username={row.username} /> : '–',
          },
        ]
      : []),
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.references.title)}
        subtitle={t(($) => $.references.subtitle)}
        live
        action={<InviteLink />}
      />
      <Group justify="space-between" align="end" gap="md">
        <nav aria-label={t(($) => $.references.path)}>
          <Breadcrumbs separatorMargin={6} style={{ flexWrap: 'wrap' }}>
            {[null, ...steps].map((step, at) => {
              const name = step ? nameOf(step.name) : t(($) => $.references.mine);
              return at === steps.length ? (
                <Text key={step?.id ?? 'me'} span fz="sm" fw={600} aria-current="page">
                  {name}
                </Text>
              ) : (
                <Anchor
                  key={step?.id ?? 'me'}
                  component="button"
                  type="button"
                  fz="sm"
                  mih={{ base: 44, sm: 24 }}
                  onClick={() => open(steps.slice(0, at))}
                >
                  {name}
                </Anchor>
              );
            })}
          </Breadcrumbs>
        </nav>
        <Select
          label={t(($) => $.references.level)}
          w={{ base: 140, sm: 120 }}
          value={level}
          onChange={(next) => list.state.setFilter('depth', next === '1' ? null : next)}
          allowDeselect={false}
          data={LEVELS}
        />
      </Group>
      <List
        list={list}
        name="indicados"
        label={t(($) => $.references.label)}
        what={t(($) => $.references.what)}
        columns={columns}
        onOpen={(row) => open([...steps, { id: row._id, name: row.username }])}
        fields={[
          { kind: 'search', name: 'search', label: t(($) => $.references.search) },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.status),
            options: STATES.map((value) => ({ value, label: shell(($) => $.status[value]) })),
          },
        ]}
        empty={
          <EmptyState
            icon={<IconUsersGroup size={26} stroke={1.5} />}
            title={own ? t(($) => $.references.empty) : t(($) => $.references.nobody)}
            hint={own ? t(($) => $.references.emptyHint) : undefined}
            action={
              own ? (
                <InviteLink />
              ) : (
                <Button variant="default" size="xs" onClick={() => open([])}>
                  {t(($) => $.references.backToMine)}
                </Button>
              )
            }
          />
        }
      />
    </Stack>
  );
}

const levelOf = (text: string | undefined) => LEVELS.find((one) => one === text) ?? '1';
