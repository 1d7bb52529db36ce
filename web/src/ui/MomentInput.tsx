import { Group } from '@mantine/core';
import { TimePicker } from '@mantine/dates';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DayInput } from './DayInput';

interface MomentInputProps {
  label: string;
  error?: ReactNode;
  required?: boolean;
  /** `2026-11-30T09:30`, as the clocks in Brasília say; empty until both halves are there. */
  value: string;
  onChange: (moment: string) => void;
  /** The first day. */
  min?: string | undefined;
}

/** A day, typed or picked in the calendar, and a time of it. */
export function MomentInput({ label, value, onChange, min, error, required = false }: MomentInputProps) {
  const { t } = useTranslation('lists');
  const [halves, setHalves] = useState({ day: value.slice(0, 10), time: value.slice(11) });
  const change = (half: Partial<typeof halves>) => {
    const next = { ...halves, ...half };
    setHalves(next);
    onChange(next.day !== '' && next.time !== '' ? `${next.day}T${next.time}` : '');
  };
  return (
    <Group align="start" gap="xs" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <DayInput
          label={label}
          value={halves.day}
          onChange={(day) => change({ day })}
          error={error}
          required={required}
          {...(min !== undefined && { min })}
        />
      </div>
      <TimePicker
        w={92}
        label={t(($) => $.calendar.time)}
        hoursInputLabel={t(($) => $.calendar.hours, { of: label })}
        minutesInputLabel={t(($) => $.calendar.minutes, { of: label })}
        value={halves.time}
        onChange={(time) => change({ time: time.slice(0, 5) })}
      />
    </Group>
  );
}
