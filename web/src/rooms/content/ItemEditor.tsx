import { Button, Drawer, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { LastRow } from '@/shared/decisions/LastRow';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { Article } from './Article';
import { deleteItem, type StaffItem, setStatus } from './content';
import { FileSlot } from './FileSlot';
import { FileView } from './FileView';
import { WordsForm } from './WordsForm';

/** In the address in place of an id. */
export const NEW = 'new';

interface ItemEditorProps {
  id: string | null;
  onOpen: (id: string) => void;
  onClose: () => void;
}

/** Writes an item: its words first, then what hangs on it, and when it is right, out to everybody. */
export function ItemEditor({ id, onOpen, onClose }: ItemEditorProps) {
  const { t } = useTranslation('content');
  return (
    <LastRow row={id}>
      {(shown, opened) => (
        <Drawer
          opened={opened}
          onClose={onClose}
          position="right"
          size="min(760px, 100%)"
          title={shown === NEW ? t(($) => $.staff.create) : t(($) => $.staff.edit)}
        >
          {shown === NEW ? (
            <WordsForm item={null} onSaved={({ _id }) => onOpen(_id)} />
          ) : (
            <Known key={shown} id={shown} onClose={onClose} />
          )}
        </Drawer>
      )}
    </LastRow>
  );
}

function Known({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('content');
  const answer = $api.useQuery('get', '/admin/content/{id}', { params: { path: { id } } }, { retry: false });
  const item = answer.data;
  if (answer.error && !item)
    return <ErrorCard what={t(($) => $.item.what)} error={answer.error} onRetry={answer.refetch} />;
  if (!item) return <Skeleton h={420} radius="md" />;
  return (
    <Stack gap="md">
      <Publication item={item} onClose={onClose} />
      <Tabs defaultValue="words">
        <Tabs.List mb="md">
          <Tabs.Tab value="words">{t(($) => $.staff.words)}</Tabs.Tab>
          <Tabs.Tab value="files">{t(($) => $.staff.files)}</Tabs.Tab>
          <Tabs.Tab value="preview">{t(($) => $.staff.preview)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="words">
          <WordsForm item={item} onSaved={() => toast.success(t(($) => $.staff.saved))} />
        </Tabs.Panel>
        <Tabs.Panel value="files">
          <Stack gap="lg">
            <FileSlot item={item} slot="file" />
            <FileSlot item={item} slot="cover" />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="preview" keepMounted={false}>
          <Preview item={item} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Preview({ item }: { item: StaffItem }) {
  const { t } = useTranslation('content');
  return (
    <Stack gap="md">
      <Title order={2} fz={20} lang={item.language} style={{ overflowWrap: 'anywhere' }}>
        {item.title}
      </Title>
      {item.file && <FileView id={item._id} title={item.title} file={item.file} staff />}
      <Article text={item.text} language={item.language} />
      {!item.file && item.text === '' && <Text c="dimmed">{t(($) => $.staff.nothing)}</Text>}
    </Stack>
  );
}

/** Whether it has something to read or to open, as the server will ask. */
const isComplete = (item: StaffItem) => item.file != null || (item.kind === 'lesson' && item.text !== '');

function Publication({ item, onClose }: { item: StaffItem; onClose: () => void }) {
  const { t } = useTranslation('content');
  const [deleting, setDeleting] = useState(false);
  const published = item.status === 'published';
  const { busy, run } = usePress(setStatus, ({ status }) =>
    toast.success(status === 'published' ? t(($) => $.staff.isOut) : t(($) => $.staff.isBack)),
  );
  return (
    <Group justify="space-between" gap="sm">
      <Text fz="sm" c="dimmed">
        {published ? t(($) => $.staff.outHint) : t(($) => $.staff.draftHint)}
      </Text>
      <Group gap="xs">
        <Button variant="subtle" color="red" size="sm" onClick={() => setDeleting(true)}>
          {t(($) => $.staff.delete)}
        </Button>
        <GuardedButton
          size="sm"
          variant={published ? 'default' : 'filled'}
          loading={busy}
          allowed={published || isComplete(item)}
          reason={t(($) => $.staff.incomplete)}
          onClick={() => void run({ item, status: published ? 'draft' : 'published' })}
        >
          {published ? t(($) => $.staff.withdraw) : t(($) => $.staff.publish)}
        </GuardedButton>
      </Group>
      <ConfirmDialog
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t(($) => $.staff.deleteTitle)}
        facts={[{ label: t(($) => $.staff.titleField), value: item.title }]}
        consequence={t(($) => $.staff.deleteHint)}
        confirmLabel={t(($) => $.staff.delete)}
        danger
        onConfirm={async () => {
          await deleteItem(item._id);
          toast.success(t(($) => $.staff.deleted));
          onClose();
        }}
      />
    </Group>
  );
}
