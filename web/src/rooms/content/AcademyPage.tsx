import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '@/ui/PageHeader';
import { Shelf } from './Shelf';

/** /marketing/academy: lessons, and how far one came in each. */
export default function AcademyPage() {
  const { t } = useTranslation('content');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.academy.title)} subtitle={t(($) => $.academy.subtitle)} />
      <Shelf kind="lesson" what={t(($) => $.academy.what)} empty={t(($) => $.academy.empty)} />
    </Stack>
  );
}
