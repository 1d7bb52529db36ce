import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Mode } from './ModeBadge';

interface ModeLensProps {
  value: Mode;
  onChange: (mode: Mode) => void;
  /** The modes that have results; the current one is always among them. */
  modes?: readonly Mode[];
}

/** Results of one mode at a time: they are never added up. */
export function ModeLens({ value, onChange, modes = ['simulated', 'paper', 'live'] }: ModeLensProps) {
  const { t } = useTranslation('shell');
  const shown = modes.includes(value) ? modes : [value, ...modes];
  return (
    <SegmentedControl
      size="xs"
      aria-label={t(($) => $.mode.lens)}
      value={value}
      onChange={(mode) => onChange(mode as Mode)}
      data={shown.map((mode) => ({ value: mode, label: t(($) => $.mode.name[mode]) }))}
    />
  );
}
