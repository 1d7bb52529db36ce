import { Select, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS, type Kind, type Subject, useKindName, useSubjectLine, useSubjects } from './about';

export interface AboutChoice {
  kind: Kind | null;
  id: string | null;
}

const NOTHING = '';

interface AboutPickerProps {
  value: AboutChoice;
  onChange: (next: AboutChoice) => void;
  error?: ReactNode;
  disabled?: boolean;
}

/**
 * What a new ticket is about: a kind, then one of one's own latest things of it. Who has none is asked nothing, and neither is
 * anybody while they cannot be read: a ticket never waits for it.
 */
export function AboutPicker({ value, onChange, error, disabled = false }: AboutPickerProps) {
  const { t } = useTranslation('support');
  const kindName = useKindName();
  const line = useSubjectLine();
  const all: readonly Subject[] = useSubjects().data?.data ?? [];
  const kinds = KINDS.filter((kind) => all.some((one) => one.kind === kind));
  if (kinds.length === 0) return null;
  const of = (kind: Kind) => all.filter((one) => one.kind === kind);
  const pick = (name: string | null) => {
    const kind = kinds.find((one) => one === name) ?? null;
    const [only, ...more] = kind ? of(kind) : [];
    onChange({ kind, id: only && more.length === 0 ? only.id : null });
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: value.kind ? 2 : 1 }}>
      <Select
        label={t(($) => $.form.about)}
        description={t(($) => $.form.aboutHint)}
        data={[
          { value: NOTHING, label: t(($) => $.form.aboutNothing) },
          ...kinds.map((kind) => ({ value: kind, label: kindName(kind) })),
        ]}
        value={value.kind ?? NOTHING}
        onChange={pick}
        allowDeselect={false}
        disabled={disabled}
      />
      {value.kind && (
        <Select
          label={t(($) => $.form.aboutWhich)}
          description={t(($) => $.form.aboutLatest)}
          placeholder={t(($) => $.form.categoryHint)}
          data={of(value.kind).map((one) => ({ value: one.id, label: line(one) }))}
          value={value.id}
          onChange={(id) => onChange({ ...value, id })}
          allowDeselect={false}
          error={error}
          disabled={disabled}
          maxDropdownHeight={260}
        />
      )}
    </SimpleGrid>
  );
}
