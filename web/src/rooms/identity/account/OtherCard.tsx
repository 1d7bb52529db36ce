import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { BUSINESS_ZONE, businessDay } from '@/api/clock';
import type { Me } from '@/api/session';
import { isLocale, LOCALE_LABELS, LOCALES, type Locale } from '@/i18n/locales';
import { AddressFields, type AddressForm, addressFits, EMPTY_ADDRESS } from '@/shared/people/AddressFields';
import { looksLikeDocument } from '@/shared/people/document';
import { DayInput } from '@/ui/DayInput';
import { DataForm, useDataForm } from './DataForm';
import { ZoneSelect } from './ZoneSelect';

/** docs/rules/identity.md#registration */
const ADULT = 18;
const FIRST_DAY = '1900-01-01';
/** The last day on which somebody is born who is of age by now. */
const lastBirthday = (today: string = businessDay()): string => {
  const day = `${Number(today.slice(0, 4)) - ADULT}${today.slice(4)}`;
  // Who is born on a leap day is of age a day later in other years.
  return day.endsWith('02-29') ? day.replace('02-29', '02-28') : day;
};

interface Other {
  birthDate: string;
  document: string;
  address: AddressForm;
  locale: Locale;
  timeZone: string;
}

/** Who one is to the law, where one lives, in which language and by which clocks. */
export function OtherCard({ user }: { user: Me }) {
  const { t, i18n } = useTranslation('account');
  const { t: identity } = useTranslation('identity');
  const data = useDataForm<Other>(otherOf(user));
  const { form, set, field, changed, checked } = data;
  const latest = lastBirthday();
  const ofAge = form.birthDate === '' || (form.birthDate >= FIRST_DAY && form.birthDate <= latest);
  const documented = form.document.trim() === '' || looksLikeDocument(form.document);
  const housed = !changed.includes('address') || addressFits(form.address);
  const is = (name: keyof Other) => changed.includes(name);
  const { complement, ...address } = form.address;
  return (
    <DataForm
      title={t(($) => $.other.title)}
      hint={t(($) => $.other.hint)}
      data={data}
      fits={ofAge && documented && housed}
      free={changed.every((name) => name === 'locale' || name === 'timeZone')}
      patch={() => ({
        ...(is('birthDate') && { birthDate: form.birthDate }),
        ...(is('document') && { document: form.document.trim() }),
        ...(is('address') && { address: { ...address, complement: complement.trim() || null } }),
        ...(is('locale') && { locale: form.locale }),
        ...(is('timeZone') && { timeZone: form.timeZone }),
      })}
      onSaved={({ locale }) => {
        if (is('locale') && isLocale(locale)) return i18n.changeLanguage(locale);
      }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <DayInput
          label={t(($) => $.other.birthDate)}
          description={t(($) => $.other.adult, { years: ADULT })}
          value={form.birthDate}
          onChange={(birthDate) => set({ birthDate })}
          min={FIRST_DAY}
          max={latest}
          far
          error={field('birthDate') ?? (checked && !ofAge && t(($) => $.other.adult, { years: ADULT }))}
        />
        {user.document ? (
          <TextInput
            label={user.document.kind.toUpperCase()}
            description={t(($) => $.other.documentSet)}
            value={user.document.masked}
            readOnly
            variant="filled"
          />
        ) : (
          <TextInput
            label={t(($) => $.other.document)}
            description={t(($) => $.other.documentHint)}
            value={form.document}
            onChange={(event) => set({ document: event.currentTarget.value })}
            maxLength={20}
            autoComplete="off"
            spellCheck={false}
            error={field('document') ?? (checked && !documented && t(($) => $.other.documentBad))}
          />
        )}
      </SimpleGrid>
      <div>
        <Text fz="sm" fw={600} component="h3" m={0}>
          {identity(($) => $.complete.address)}
        </Text>
        <AddressFields
          value={form.address}
          onChange={(next) => set({ address: next })}
          checked={checked && is('address')}
          field={field}
        />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t(($) => $.other.language)}
          description={t(($) => $.other.languageHint)}
          data={LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] }))}
          value={form.locale}
          onChange={(next) => isLocale(next) && set({ locale: next })}
          allowDeselect={false}
          error={field('locale')}
        />
        <ZoneSelect
          value={form.timeZone}
          onChange={(timeZone) => set({ timeZone })}
          error={field('timeZone')}
        />
      </SimpleGrid>
    </DataForm>
  );
}

function otherOf(user: Me): Other {
  const address = { ...EMPTY_ADDRESS };
  for (const part of Object.keys(EMPTY_ADDRESS) as (keyof AddressForm)[])
    address[part] = user.address?.[part] ?? '';
  return {
    birthDate: user.birthDate ?? '',
    document: '',
    address,
    locale: user.locale,
    timeZone: user.timeZone ?? BUSINESS_ZONE,
  };
}
