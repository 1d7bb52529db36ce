import '@mantine/dates/styles.layer.css';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCalendar } from './calendar';
import classes from './PeriodInput.module.css';
import { daysOf, PRESETS, usePeriodText } from './period';

interface PeriodInputProps {
  from: string | null;
  to: string | null;
  /** Both days, or neither. */
  onChange: (from: string | null, to: string | null) => void;
  /** With its label above and in a dialog of its own: on a phone. */
  tall?: boolean;
}

type Picked = [string | null, string | null];

/** From one day to another: usual periods at one press, others in the calendar. */
export function PeriodInput({ from, to, onChange, tall = false }: PeriodInputProps) {
  const { t: lists } = useTranslation('lists');
  const text = usePeriodText();
  const calendar = useCalendar();
  // The first of two days is nobody's period yet.
  const [picked, setPicked] = useState<Picked>([from, to]);
  useEffect(() => setPicked([from, to]), [from, to]);
  const label = lists(($) => $.period.label);
  const half = picked[0] !== null && picked[1] === null && to !== null;
  const pick = (next: Picked) => {
    // Left halfway, it is what it was.
    if (half && next[0] === null) return setPicked([from, to]);
    setPicked(next);
    if ((next[0] === null) === (next[1] === null)) onChange(...next);
  };
  const shown = text(picked[0], picked[1]);
  return (
    <DatePickerInput
      type="range"
      {...calendar}
      popoverProps={{ ...calendar.popoverProps, attributes: { dropdown: { 'aria-label': label } } }}
      modalProps={{ title: label }}
      size={tall ? 'md' : 'sm'}
      {...(tall ? { label } : { w: 250, 'aria-label': shown ? `${label}: ${shown}` : label })}
      placeholder={label}
      leftSection={<IconCalendar size={16} aria-hidden />}
      leftSectionPointerEvents="none"
      clearable
      clearButtonProps={{ 'aria-label': lists(($) => $.filter.remove, { name: label }) }}
      value={picked}
      onChange={(next) => pick(next as Picked)}
      valueFormatter={({ date }) => (Array.isArray(date) ? text(asDay(date[0]), asDay(date[1])) : '')}
      allowSingleDateInRange
      dropdownType={tall ? 'modal' : 'popover'}
      classNames={{
        datePickerRoot: classes.root ?? '',
        presetsList: classes.presets ?? '',
        placeholder: classes.placeholder ?? '',
        day: classes.day ?? '',
      }}
      presets={[
        ...PRESETS.map((preset) => ({
          value: [...daysOf(preset)] as Picked,
          label: lists(($) => $.period[preset]),
        })),
        { value: [null, null], label: lists(($) => $.period.custom) },
      ]}
    />
  );
}

const asDay = (value: unknown) => (typeof value === 'string' ? value : null);
