import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDrop, formatBytes } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { usePress } from '@/ui/usePress';
import { useSubmit } from '@/ui/useSubmit';
import { Cover } from './Cover';
import { COVER, dropFile, FILE, putFile, type StaffItem } from './content';

/** The item's file, or its cover: sent, replaced, taken away. */
export function FileSlot({ item, slot }: { item: StaffItem; slot: 'file' | 'cover' }) {
  const { t } = useTranslation('content');
  const errorText = useErrorText();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const { accept, most } = slot === 'file' ? FILE : COVER;
  const there = slot === 'file' ? item.file != null : item.cover != null;
  const sending = useSubmit(
    (chosen: File) =>
      putFile({ id: item._id, slot, file: chosen, onProgress: setProgress }).finally(() => setProgress(null)),
    () => {
      setFile(null);
      toast.success(t(($) => $.staff.attached));
    },
  );
  const dropping = usePress(dropFile, () => toast.success(t(($) => $.staff.detached)));
  // What is published keeps something to open.
  const needed =
    slot === 'file' && item.status === 'published' && (item.kind === 'material' || item.text === '');
  return (
    <Stack gap="xs">
      {there && (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          {slot === 'cover' ? (
            <div style={{ width: 160 }}>
              <Cover cover={item.cover} file={item.file} />
            </div>
          ) : (
            <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }} translate="no">
              <span>{item.file?.name}</span>{' '}
              <Text span fz="xs" c="dimmed" className="num">
                {formatBytes(item.file?.bytes ?? 0)}
              </Text>
            </Text>
          )}
          <GuardedButton
            size="xs"
            variant="subtle"
            color="red"
            allowed={!needed}
            reason={t(($) => $.staff.keepsFile)}
            loading={dropping.busy}
            onClick={() => void dropping.run({ id: item._id, slot })}
          >
            {slot === 'file' ? t(($) => $.staff.dropFile) : t(($) => $.staff.dropCover)}
          </GuardedButton>
        </Group>
      )}
      <FileDrop
        label={slot === 'file' ? t(($) => $.staff.fileField) : t(($) => $.staff.coverField)}
        value={file}
        onChange={(chosen) => {
          sending.changed();
          setFile(chosen);
        }}
        accept={accept}
        maxBytes={most}
        progress={progress}
        error={sending.failure ? (sending.field('file') ?? errorText(sending.failure.error)) : undefined}
      />
      {file && (
        <Button style={{ alignSelf: 'end' }} loading={sending.busy} onClick={() => void sending.run(file)}>
          {there ? t(($) => $.staff.replace) : t(($) => $.staff.send)}
        </Button>
      )}
    </Stack>
  );
}
