import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '@/ui/PageHeader';
import { Shelf } from './Shelf';

/** /marketing/support-material: files to hand on, each with its type, size and language. */
export default function MaterialPage() {
  const { t } = useTranslation('content');
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.material.title)} subtitle={t(($) => $.material.subtitle)} />
      <Shelf kind="material" what={t(($) => $.material.what)} empty={t(($) => $.material.empty)} />
    </Stack>
  );
}
