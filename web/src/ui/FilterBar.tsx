import { Badge, Button, CloseButton, Drawer, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from './format';
import type { ListState } from './useTableQuery';

export type FilterField =
  | { kind: 'search'; name: string; label?: string }
  | { kind: 'select'; name: string; label: string; options: readonly { value: string; label: string }[] }
  | { kind: 'date'; name: string; label: string };

interface FilterBarProps {
  query: ListState;
  fields: readonly FilterField[];
}

const SEARCH_PAUSE_MS = 300;

/** Filters of a list: fields on a desk, a full-screen drawer on a phone, chips for what is set. */
export function FilterBar({ query, fields }: FilterBarProps) {
  const { t } = useTranslation();
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  const search = fields.find((field) => field.kind === 'search');
  const others = fields.filter((field) => field.kind !== 'search');
  const set = others.filter(({ name }) => query.filters[name]).length;
  return (
    <search aria-label={t(($) => $.filter.label)}>
      <Group gap="xs" align="end">
        {search && <SearchField query={query} name={search.name} label={search.label} grow={phone} />}
        {others.length > 0 && phone && (
          <Button
            variant="default"
            h={44}
            onClick={open}
            leftSection={<IconAdjustmentsHorizontal size={17} aria-hidden />}
          >
            {t(($) => $.filter.open)}
            {set > 0 && ` (${set})`}
          </Button>
        )}
        {!phone && others.map((field) => <Field key={field.name} field={field} query={query} />)}
      </Group>
      <Chips query={query} fields={others} />
      <Drawer
        opened={opened && !!phone}
        onClose={close}
        size="100%"
        title={t(($) => $.filter.label)}
        closeButtonProps={{ 'aria-label': t(($) => $.actions.close) }}
      >
        <Stack>
          {others.map((field) => (
            <Field key={field.name} field={field} query={query} tall />
          ))}
          <Button onClick={close} h={44}>
            {t(($) => $.filter.apply)}
          </Button>
          <Button variant="default" onClick={query.clearFilters} h={44}>
            {t(($) => $.actions.clearFilters)}
          </Button>
        </Stack>
      </Drawer>
    </search>
  );
}

function SearchField(props: {
  query: ListState;
  name: string;
  label?: string | undefined;
  grow?: boolean | undefined;
}) {
  const { query, name, label, grow } = props;
  const { t } = useTranslation();
  const current = query.filters[name] ?? '';
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause; `query` is new on every render.
  useEffect(() => {
    if (text.trim() === current) return;
    const timer = setTimeout(() => query.setFilter(name, text.trim() || null), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      data-filter-search
      aria-label={label ?? t(($) => $.filter.search)}
      placeholder={label ?? t(($) => $.filter.search)}
      maxLength={80}
      size={grow ? 'md' : 'sm'}
      style={{ flex: grow ? 1 : undefined }}
      w={grow ? undefined : 260}
      miw={0}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

interface FieldProps {
  field: FilterField;
  query: ListState;
  tall?: boolean;
}

function Field({ field, query, tall = false }: FieldProps) {
  const value = query.filters[field.name] ?? '';
  if (field.kind === 'select')
    return (
      <Select
        size={tall ? 'md' : 'sm'}
        w={tall ? undefined : 170}
        clearable
        placeholder={field.label}
        {...(tall ? { label: field.label } : { 'aria-label': field.label })}
        data={[...field.options]}
        value={value || null}
        onChange={(next) => query.setFilter(field.name, next)}
      />
    );
  if (field.kind === 'date')
    return (
      <TextInput
        type="date"
        size={tall ? 'md' : 'sm'}
        w={tall ? undefined : 158}
        {...(tall ? { label: field.label } : { 'aria-label': field.label, title: field.label })}
        value={value}
        onChange={(event) => query.setFilter(field.name, event.currentTarget.value || null)}
      />
    );
  return null;
}

function Chips({ query, fields }: FilterBarProps) {
  const { t } = useTranslation();
  const { date } = useFormat();
  const set = fields.filter(({ name }) => query.filters[name]);
  if (set.length === 0) return null;
  return (
    <Group gap={6} mt={8}>
      {set.map((field) => {
        const value = query.filters[field.name] ?? '';
        const label = 'label' in field ? (field.label ?? '') : '';
        const text =
          field.kind === 'select'
            ? (field.options.find((option) => option.value === value)?.label ?? value)
            : field.kind === 'date'
              ? date(value)
              : value;
        return (
          <Badge
            key={field.name}
            color="gray"
            size="lg"
            fw={500}
            pr={3}
            rightSection={
              <CloseButton
                size="xs"
                aria-label={t(($) => $.filter.remove, { name: label })}
                onClick={() => query.setFilter(field.name, null)}
              />
            }
          >
            {label}: {text}
          </Badge>
        );
      })}
      <Button variant="subtle" color="gray" size="compact-xs" onClick={query.clearFilters}>
        {t(($) => $.actions.clearFilters)}
      </Button>
    </Group>
  );
}
