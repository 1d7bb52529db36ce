import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Me } from '@/api/session';
import { DataForm, useDataForm } from './DataForm';

/** docs/rules/identity.md: at most so many, in every mail. */
const MAX = 32;

/** Words that only we and the person know: a mail without them is not ours. */
export function AntiPhishingCard({ user }: { user: Me }) {
  const { t } = useTranslation('account');
  const data = useDataForm({ antiPhishing: user.antiPhishing ?? '' });
  return (
    <DataForm
      title={t(($) => $.phrase.title)}
      hint={t(($) => $.phrase.hint)}
      data={data}
      fits
      patch={() => ({ antiPhishing: data.form.antiPhishing.trim() })}
    >
      <TextInput
        maw={420}
        maxLength={MAX}
        autoComplete="off"
        label={t(($) => $.phrase.label)}
        description={t(($) => $.phrase.rule, { max: MAX })}
        value={data.form.antiPhishing}
        onChange={(event) => data.set({ antiPhishing: event.currentTarget.value })}
        error={data.field('antiPhishing')}
      />
    </DataForm>
  );
}
