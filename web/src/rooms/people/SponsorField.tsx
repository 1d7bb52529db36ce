import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';

const LEAST = 3;
const PAUSE_MS = 300;

interface SponsorFieldProps {
  value: string;
  onChange: (username: string) => void;
  error: string | undefined;
}

/** Who brought somebody: a username, found by how it begins. */
export function SponsorField({ value, onChange, error }: SponsorFieldProps) {
  const { t } = useTranslation('people');
  const [term] = useDebouncedValue(value.trim().replace(/^@/, ''), PAUSE_MS);
  const found = $api.useQuery(
    'get',
    '/search-user/{term}',
    { params: { path: { term } } },
    { enabled: term.length >= LEAST, retry: false },
  );
  const people = new Map(found.data?.map(({ username, name }) => [username, name]));
  return (
    <Autocomplete
      label={t(($) => $.list.sponsor)}
      description={t(($) => $.add.sponsorHint)}
      value={value}
      onChange={onChange}
      error={error}
      data={[...people.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text fz="sm" fw={600}>
            {people.get(option.value)}
          </Text>
          <Text fz="xs" c="dimmed">
            <span translate="no">@{option.value}</span>
          </Text>
        </div>
      )}
      maxLength={254}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
