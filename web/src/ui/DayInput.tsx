import '@mantine/dates/styles.layer.css';
import { ActionIcon } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCalendar } from './calendar';
import { useFormat } from './format';
import { readDay } from './period';

interface DayInputProps {
  label: ReactNode;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  /** `2026-11-30`; empty for none. */
  value: string;
  onChange: (day: string) => void;
  min?: string;
  max?: string;
  /** A day of long ago: the calendar opens on the years. */
  far?: boolean;
}

/** One day: typed the reader's way, or picked in the calendar that its button opens (in a dialog it would lie over the rest). */
export function DayInput({ value, onChange, min, max, far = false, ...field }: DayInputProps) {
  const { t } = useTranslation('lists');
  const { tag, date } = useFormat();
  const { popoverProps, ...calendar } = useCalendar();
  const [opened, setOpened] = useState(false);
  const open = t(($) => $.calendar.open);
  return (
    <DateInput
      {...field}
      {...calendar}
      valueFormat={(day) => date(day.slice(0, 10))}
      dateParser={(text) => readDay(tag, text)}
      placeholder={dayPattern(tag)}
      rightSection={
        <ActionIcon
          aria-label={open}
          aria-expanded={opened}
          title={open}
          disabled={field.disabled ?? false}
          onClick={() => setOpened((before) => !before)}
        >
          <IconCalendar size={17} aria-hidden />
        </ActionIcon>
      }
      value={value || null}
      onChange={(day) => {
        onChange(day ?? '');
        setOpened(false);
      }}
      // An emptied field is no day.
      allowDeselect
      {...(far && { defaultLevel: 'decade' as const, ...(max && { defaultDate: max }) })}
      {...(min !== undefined && { minDate: min })}
      {...(max !== undefined && { maxDate: max })}
      popoverProps={{
        ...popoverProps,
        opened,
        onChange: setOpened,
        trapFocus: true,
        attributes: { dropdown: { role: 'dialog', 'aria-label': open } },
      }}
    />
  );
}

/** How a day is typed: "30/11/2026". */
const dayPattern = (tag: string) =>
  new Intl.DateTimeFormat(tag, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(Date.UTC(2026, 10, 30));
