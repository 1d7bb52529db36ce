import { Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPencil, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { mayRead } from '@/api/session';
import type texts from '@/i18n/pt/rules.json';
import { PersonHandle } from '@/shared/people/PersonCell';
import { type Column, DataTable } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { GuardedButton } from '@/ui/GuardedButton';
import { When } from '@/ui/When';
import { EditSetting } from './EditSetting';
import { type Setting, useRuleText } from './rules';

type Group_ = keyof (typeof texts)['groups'];

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Every setting in its group: value, default, who changed it. */
export function Settings({ rules }: { rules: Schemas['SettingsView'] }) {
  const { t } = useTranslation('rules');
  const { unit, name } = useRuleText();
  const [search, setSearch] = useState('');
  const [editing, setEditing] = useState<string | null>(null);
  const may = mayRead('admin_permissions');
  const waits = new Set(
    rules.waiting
      .filter(({ kind }) => kind === 'settings')
      .flatMap(({ items }) => items.map(({ key }) => key)),
  );
  const wanted = fold(search.trim());
  const found = rules.settings.filter((one) => fold(`${name(one.key)} ${one.key}`).includes(wanted));
  const groups = [...new Set(found.map(({ group }) => group))];
  const columns: Column<Setting>[] = [
    {
      key: 'setting',
      label: t(($) => $.setting),
      fixed: true,
      render: (row) => (
        <div>
          <Text fz="sm" fw={550}>
            {name(row.key)}
          </Text>
          {row.money && (
            <Text fz={12} c="dimmed">
              {t(($) => $.twoPersons)}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'value',
      label: t(($) => $.value),
      align: 'right',
      width: 170,
      fixed: true,
      render: (row) => (
        <Text span fz="sm" className="num" fw={row.value === row.default ? 400 : 700}>
          {unit(row.value, row.kind)}
        </Text>
      ),
    },
    {
      key: 'default',
      label: t(($) => $.default),
      align: 'right',
      fixed: true,
      width: 170,
      render: (row) => (
        <Text span fz="sm" c="dimmed" className="num">
          {unit(row.default, row.kind)}
        </Text>
      ),
    },
    {
      key: 'by',
      label: t(($) => $.by),
      fixed: true,
      width: 190,
      render: (row) =>
        row.changedBy && row.changedAt ? (
          <Text fz="sm" component="div">
            <PersonHandle username={row.changedBy} />
            <Text fz={12} c="dimmed" component="div">
              <When at={row.changedAt} relative />
            </Text>
          </Text>
        ) : (
          <Text span fz="sm" c="dimmed">
            –
          </Text>
        ),
    },
    {
      key: 'edit',
      label: t(($) => $.edit),
      fixed: true,
      width: 130,
      render: (row) => (
        <GuardedButton
          size="compact-sm"
          variant="default"
          leftSection={<IconPencil size={15} aria-hidden />}
          allowed={may && !waits.has(row.key)}
          reason={may ? t(($) => $.waits) : t(($) => $.mayNot)}
          onClick={() => setEditing(row.key)}
        >
          <span>{t(($) => $.edit)}</span>
          <span className="sr-only">
            {' '}
            <span>{name(row.key)}</span>
          </span>
        </GuardedButton>
      ),
    },
  ];
  const open = rules.settings.find(({ key }) => key === editing) ?? null;
  return (
    <Stack gap="lg">
      <Group>
        <TextInput
          type="search"
          w={{ base: '100%', xs: 320 }}
          aria-label={t(($) => $.search)}
          placeholder={t(($) => $.search)}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </Group>
      {groups.length === 0 && (
        <Card>
          <EmptyState title={t(($) => $.nothing)} />
        </Card>
      )}
      {groups.map((group) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <Title order={2} fz={17} mb="xs" id={`group-${group}`}>
            {t(($) => $.groups[group as Group_])}
          </Title>
          <DataTable
            name={`regras-${group}`}
            label={t(($) => $.groups[group as Group_])}
            columns={columns}
            rows={found.filter((one) => one.group === group)}
            rowKey={(row) => row.key}
          />
        </section>
      ))}
      <EditSetting setting={open} revision={rules.revision} onClose={() => setEditing(null)} />
    </Stack>
  );
}
