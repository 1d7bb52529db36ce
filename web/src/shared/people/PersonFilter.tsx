import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { $api } from '@/api/hooks';
import type { OwnField } from '@/ui/FilterBar';

const LEAST = 2;
const PAUSE_MS = 300;
const SHOWN = 8;

interface PersonFilterProps extends OwnField {
  /** Said while nothing was typed, and where nobody is found. */
  hint: string;
  nobody: string;
}

/** A list narrowed to a person: found by how any word of name, username or e-mail begins; the address keeps the username. */
export function PersonFilter({ label, value, onChange, tall, hint, nobody }: PersonFilterProps) {
  const [typed, setTyped] = useState('');
  const [pause] = useDebouncedValue(typed, PAUSE_MS);
  const chosen = value === null ? null : `@${value}`;
  const term = pause === chosen ? '' : pause.trim();
  const found = $api.useQuery(
    'get',
    '/admin/users-list/',
    { params: { query: { search: term, page: 1, limit: SHOWN } } },
    { enabled: term.length >= LEAST, retry: false },
  );
  const people = new Map(found.data?.data.map(({ username, fullName }) => [username, fullName]));
  const names = [...new Set([...people.keys(), ...(value === null ? [] : [value])])];
  const waits = typed !== pause || found.isFetching;
  return (
    <Select
      size={tall ? 'md' : 'sm'}
      w={tall ? undefined : 190}
      {...(tall ? { label } : { 'aria-label': label })}
      placeholder={label}
      clearable
      searchable
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={names.map((username) => ({ value: username, label: `@${username}` }))}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div translate="no">
          <Text fz="sm" fw={600}>
            {people.get(option.value) ?? option.label}
          </Text>
          <Text fz="xs" c="dimmed">
            {option.label}
          </Text>
        </div>
      )}
      nothingFoundMessage={term.length >= LEAST && !waits ? nobody : hint}
      maxLength={80}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
