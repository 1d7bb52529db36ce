import { Anchor, Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat, zoneOf } from '@/ui/format';
import { useNow } from '@/ui/useNow';

/** How many a list shows at once: the others are found by typing. */
const SHOWN = 80;

interface ZoneSelectProps {
  value: string;
  onChange: (zone: string) => void;
  error: ReactNode;
}

/** By whose clocks moments are shown: with the time that it is there. */
export function ZoneSelect({ value, onChange, error }: ZoneSelectProps) {
  const { t } = useTranslation('account');
  const { tag } = useFormat();
  const data = useMemo(() => zonesWith(value), [value]);
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const time = new Intl.DateTimeFormat(tag, {
    timeZone: zoneOf({ timeZone: value }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(useNow(20_000));
  return (
    <div>
      <Select
        label={t(($) => $.other.timeZone)}
        description={t(($) => $.other.timeZoneHint, { time })}
        data={data}
        value={value}
        onChange={(next) => next !== null && onChange(next)}
        allowDeselect={false}
        searchable
        filter={({ options, search }) =>
          options.filter((one) => 'label' in one && plain(one.label).includes(plain(search)))
        }
        limit={SHOWN}
        maxDropdownHeight={280}
        nothingFoundMessage={t(($) => $.other.noZone)}
        error={error}
      />
      {here && here !== value && data.some((zone) => zone.value === here) && (
        <Anchor component="button" type="button" fz="sm" mt={4} onClick={() => onChange(here)}>
          {t(($) => $.other.ofDevice, { zone: named(here) })}
        </Anchor>
      )}
    </div>
  );
}

/** "São Paulo" finds "Sao Paulo". */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

const named = (zone: string) => zone.replaceAll('_', ' ').split('/').reverse().join(', ');

/** Those of the browser, and the one that stands, which may have another name here. */
const zonesWith = (own: string) =>
  [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
    .map((value) => ({ value, label: named(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));
