import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export const EMPTY_ADDRESS = {
  country: '',
  postalCode: '',
  state: '',
  city: '',
  district: '',
  street: '',
  number: '',
  complement: '',
};
export type AddressForm = typeof EMPTY_ADDRESS;

const PARTS = [
  ['country', 'country-name', true],
  ['postalCode', 'postal-code', true],
  ['state', 'address-level1', true],
  ['city', 'address-level2', true],
  ['district', 'address-level3', true],
  ['street', 'address-line1', true],
  ['number', 'off', true],
  ['complement', 'address-line2', false],
] as const;

/** Every part is asked for but the complement [docs/rules/identity.md#registration]. */
export const addressFits = (address: AddressForm): boolean =>
  PARTS.every(([part, , required]) => !required || address[part].trim() !== '');

interface AddressFieldsProps {
  value: AddressForm;
  onChange: (address: AddressForm) => void;
  checked: boolean;
  field: (name: string) => string | undefined;
}

export function AddressFields({ value, onChange, checked, field }: AddressFieldsProps) {
  const { t } = useTranslation('identity');
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="xs">
      {PARTS.map(([part, autoComplete, required]) => (
        <TextInput
          key={part}
          name={part}
          autoComplete={autoComplete}
          required={required}
          maxLength={120}
          label={t(($) => $.address[part])}
          value={value[part]}
          onChange={(event) => onChange({ ...value, [part]: event.currentTarget.value })}
          error={
            field(`address.${part}`) ??
            (checked && required && value[part].trim() === '' && t(($) => $.errors.required))
          }
        />
      ))}
    </SimpleGrid>
  );
}
