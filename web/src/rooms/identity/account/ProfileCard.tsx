import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Me } from '@/api/session';
import { DataForm, useDataForm } from './DataForm';

/** Name and phone. */
export function ProfileCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const data = useDataForm({ fullName: user.fullName, mobileNumber: user.mobileNumber ?? '' });
  const { form, set, field, checked } = data;
  const named = form.fullName.trim().length >= 3;
  return (
    <DataForm
      title={t(($) => $.account.profile.title)}
      hint={t(($) => $.account.profile.hint)}
      data={data}
      fits={named}
      patch={() => ({
        ...(data.changed.includes('fullName') && { fullName: form.fullName.trim() }),
        ...(data.changed.includes('mobileNumber') && { mobileNumber: form.mobileNumber.trim() }),
      })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          name="name"
          autoComplete="name"
          required
          maxLength={120}
          label={t(($) => $.fields.fullName)}
          value={form.fullName}
          onChange={(event) => set({ fullName: event.currentTarget.value })}
          error={field('fullName') ?? (checked && !named && t(($) => $.errors.required))}
        />
        <TextInput
          name="tel"
          type="tel"
          autoComplete="tel"
          maxLength={24}
          label={t(($) => $.fields.mobileNumber)}
          value={form.mobileNumber}
          onChange={(event) => set({ mobileNumber: event.currentTarget.value })}
          error={field('mobileNumber')}
        />
      </SimpleGrid>
    </DataForm>
  );
}
