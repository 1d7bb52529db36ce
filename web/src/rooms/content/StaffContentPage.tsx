import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LOCALE_LABELS, LOCALES } from '@/i18n/locales';
import { PersonHandle } from '@/shared/people/PersonCell';
import type { Column } from '@/ui/DataTable';
import { EmptyState } from '@/ui/EmptyState';
import { List } from '@/ui/List';
import { PageHeader } from '@/ui/PageHeader';
import { useList } from '@/ui/useList';
import { When } from '@/ui/When';
import { kindOf, type StaffItem } from './content';
import { useOpenItem } from './ItemDrawer';
import { ItemEditor, NEW } from './ItemEditor';

/** /administrator/content: lessons and material as staff keep them. */
export default function StaffContentPage() {
  const { t } = useTranslation('content');
  const list = useList('/admin/content', {
    sorts: 'never',
    filters: ['search', 'kind', 'language', 'status'],
  });
  const [open, setOpen] = useOpenItem();
  const columns: Column<StaffItem>[] = [
    {
      key: 'title',
      label: t(($) => $.staff.titleField),
      fixed: true,
      render: (row) => (
        <div style={{ minWidth: 0 }}>
          <Text span fz="sm" fw={600} lang={row.language} style={{ overflowWrap: 'anywhere' }}>
            {row.title}
          </Text>
          <Text span fz="xs" c="dimmed" display="block">
            <span>{t(($) => $.kind[row.kind])}</span> · <span>{LOCALE_LABELS[row.language]}</span>
          </Text>
        </div>
      ),
    },
    { key: 'order', label: t(($) => $.staff.order), align: 'right', render: (row) => row.order },
    {
      key: 'file',
      label: t(($) => $.staff.file),
      render: (row) => <FileKind item={row} />,
    },
    {
      key: 'author',
      label: t(($) => $.staff.author),
      render: (row) => <PersonHandle username={row.author} />,
    },
    { key: 'updated', label: t(($) => $.staff.updated), render: (row) => <When at={row.updated_at} /> },
    {
      key: 'status',
      label: t(($) => $.staff.status),
      fixed: true,
      render: (row) => <Standing item={row} />,
    },
  ];
  return (
    <Stack gap="lg">
      <PageHeader
        title={t(($) => $.staff.title)}
        subtitle={t(($) => $.staff.subtitle)}
        action={
          <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setOpen(NEW)}>
            {t(($) => $.staff.create)}
          </Button>
        }
      />
      <List
        list={list}
        name="content"
        label={t(($) => $.staff.title)}
        what={t(($) => $.staff.what)}
        columns={columns}
        fields={[
          { kind: 'search', name: 'search' },
          {
            kind: 'select',
            name: 'kind',
            label: t(($) => $.staff.kind),
            options: (['lesson', 'material'] as const).map((value) => ({
              value,
              label: t(($) => $.kind[value]),
            })),
          },
          {
            kind: 'select',
            name: 'language',
            label: t(($) => $.filter.language),
            options: LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] })),
          },
          {
            kind: 'select',
            name: 'status',
            label: t(($) => $.staff.status),
            options: (['draft', 'published'] as const).map((value) => ({
              value,
              label: t(($) => $.status[value]),
            })),
          },
        ]}
        onOpen={(row) => setOpen(row._id)}
        empty={<EmptyState title={t(($) => $.staff.empty)} />}
      />
      <ItemEditor id={open} onOpen={setOpen} onClose={() => setOpen(null)} />
    </Stack>
  );
}

function FileKind({ item: { file } }: { item: StaffItem }) {
  const { t } = useTranslation('content');
  return file ? t(($) => $.file[kindOf(file)]) : '—';
}

function Standing({ item }: { item: StaffItem }) {
  const { t } = useTranslation('content');
  return (
    <Group gap={6}>
      <Badge size="sm" variant="light" color={item.status === 'published' ? 'mint' : 'gray'}>
        {t(($) => $.status[item.status])}
      </Badge>
    </Group>
  );
}
