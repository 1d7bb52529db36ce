import { Autocomplete, Text } from '@mantine/core';
import type { Ref } from 'react';

interface Known {
  address: string;
  label: string;
}

interface AddressFieldProps {
  label: string;
  value: string;
  onChange: (next: string) => void;
  /** Listed and used addresses, to choose from. */
  book: readonly Known[];
  error?: string | undefined;
  hint?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

/** An address of the chain: typed, pasted, or chosen from those that are known. */
export function AddressField({ label, value, onChange, book, error, hint, ref }: AddressFieldProps) {
  const labels = new Map(book.map((known) => [known.address, known.label]));
  return (
    <Autocomplete
      ref={ref}
      label={label}
      name="address"
      value={value}
      onChange={(next) => onChange(next.trim())}
      data={[...labels.keys()]}
      error={error}
      description={hint}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      placeholder="0x…"
      comboboxProps={{ shadow: 'md' }}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      renderOption={({ option }) => (
        <div>
          <Text fz="sm" fw={600}>
            {labels.get(option.value)}
          </Text>
          <Text fz="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {option.value}
          </Text>
        </div>
      )}
      required
    />
  );
}
