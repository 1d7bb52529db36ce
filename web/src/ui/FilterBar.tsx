import { Badge, Button, CloseButton, Drawer, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PeriodInput } from './PeriodInput';
import { usePeriodText } from './period';
import type { ListState } from './useTableQuery';

/** What every dated list is narrowed by: both days belong to it. */
export const PERIOD = { from: 'startDate', to: 'endDate' } as const;

export type FilterField<Name extends string = string> =
  | { kind: 'search'; name: Name; label?: string }
  | {
      kind: 'select';
      name: Name;
      label: string;
      options: readonly { value: string; label: string }[];
      /** Too many to be read through: typed letters narrow them. */
      searchable?: boolean;
    }
  | { kind: 'own'; name: Name; label: string; render: (field: OwnField) => ReactNode }
  | { kind: 'period' };

/** What a filter of another kind is drawn with. */
export interface OwnField {
  label: string;
  value: string | null;
  onChange: (value: string | null) => void;
  /** In the drawer of a phone: with its label above, and as high as a finger needs. */
  tall: boolean;
}

type Choice = Exclude<FilterField, { kind: 'search' }>;
const namesOf = (field: Choice): readonly string[] =>
  field.kind === 'period' ? [PERIOD.from, PERIOD.to] : [field.name];

interface FilterBarProps {
  query: ListState;
  fields: readonly FilterField[];
}

const SEARCH_PAUSE_MS = 300;

/** Filters of a list: fields on a desk, a full-screen drawer on a phone, chips for what is set. */
export function FilterBar({ query, fields }: FilterBarProps) {
  const { t } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  const search = fields.find((field) => field.kind === 'search');
  const others = fields.filter((field) => field.kind !== 'search');
  const set = others.filter((field) => namesOf(field).some((name) => query.filters[name])).length;
  return (
    <search aria-label={lists(($) => $.filter.label)}>
      <Group gap="xs" align="end">
        {search && <SearchField query={query} name={search.name} label={search.label} grow={phone} />}
        {others.length > 0 && phone && (
          <Button
            variant="default"
            h={44}
            onClick={open}
            leftSection={<IconAdjustmentsHorizontal size={17} aria-hidden />}
          >
            <span>{lists(($) => $.filter.open)}</span>
            {set > 0 && <span>{` (${set})`}</span>}
          </Button>
        )}
        {!phone && others.map((field) => <Field key={namesOf(field).join()} field={field} query={query} />)}
      </Group>
      <Chips query={query} fields={others} />
      <Drawer
        opened={opened && !!phone}
        onClose={close}
        size="100%"
        title={lists(($) => $.filter.label)}
        closeButtonProps={{ 'aria-label': t(($) => $.actions.close) }}
      >
        <Stack>
          {others.map((field) => (
            <Field key={namesOf(field).join()} field={field} query={query} tall />
          ))}
          <Button onClick={close} h={44}>
            {lists(($) => $.filter.apply)}
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
  const { t: lists } = useTranslation('lists');
  const current = query.filters[name] ?? '';
  const [text, setText] = useState(current);
  // What else is set while the pause lasts stays set: the address is changed from what it is then.
  const latest = useRef(query);
  useEffect(() => {
    latest.current = query;
  });
  useEffect(() => setText(current), [current]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause.
  useEffect(() => {
    if (text.trim() === current) return;
    const timer = setTimeout(() => latest.current.setFilter(name, text.trim() || null), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      data-filter-search
      aria-label={label ?? lists(($) => $.filter.search)}
      placeholder={label ?? lists(($) => $.filter.search)}
      maxLength={80}
      size={grow ? 'md' : 'sm'}
      style={{ flex: grow ? 1 : '1 1 190px' }}
      maw={grow ? undefined : 260}
      miw={0}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

interface FieldProps {
  field: Choice;
  query: ListState;
  tall?: boolean;
}

function Field({ field, query, tall = false }: FieldProps) {
  const { t: lists } = useTranslation('lists');
  if (field.kind === 'period')
    return (
      <PeriodInput
        from={query.filters[PERIOD.from] ?? null}
        to={query.filters[PERIOD.to] ?? null}
        onChange={(from, to) => query.setFilters({ [PERIOD.from]: from, [PERIOD.to]: to })}
        tall={tall}
      />
    );
  if (field.kind === 'own')
    return field.render({
      label: field.label,
      value: query.filters[field.name] ?? null,
      onChange: (next) => query.setFilter(field.name, next),
      tall,
    });
  return (
    <Select
      size={tall ? 'md' : 'sm'}
      w={tall ? undefined : field.searchable ? 220 : 150}
      clearable
      searchable={field.searchable ?? false}
      {...(field.searchable && { nothingFoundMessage: lists(($) => $.table.noMatch) })}
      placeholder={field.label}
      {...(tall ? { label: field.label } : { 'aria-label': field.label })}
      data={[...field.options]}
      value={query.filters[field.name] ?? null}
      onChange={(next) => query.setFilter(field.name, next)}
    />
  );
}

function Chips({ query, fields }: { query: ListState; fields: readonly Choice[] }) {
  const { t } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const period = usePeriodText();
  const set = fields.filter((field) => namesOf(field).some((name) => query.filters[name]));
  if (set.length === 0) return null;
  return (
    <Group gap={6} mt={8}>
      {set.map((field) => {
        const [from, to] = namesOf(field).map((name) => query.filters[name] ?? null);
        const label = field.kind === 'period' ? lists(($) => $.period.label) : field.label;
        const text =
          field.kind === 'period'
            ? period(from ?? null, to ?? null)
            : field.kind === 'own'
              ? from
              : (field.options.find((option) => option.value === from)?.label ?? from);
        return (
          <Badge
            key={label}
            color="gray"
            size="lg"
            fw={500}
            pr={3}
            rightSection={
              <CloseButton
                size="xs"
                aria-label={lists(($) => $.filter.remove, { name: label })}
                onClick={() =>
                  query.setFilters(Object.fromEntries(namesOf(field).map((name) => [name, null])))
                }
              />
            }
          >
            <span>{label}</span>: <span>{text}</span>
          </Badge>
        );
      })}
      <Button variant="subtle" color="gray" size="compact-xs" onClick={query.clearFilters}>
        {t(($) => $.actions.clearFilters)}
      </Button>
    </Group>
  );
}
