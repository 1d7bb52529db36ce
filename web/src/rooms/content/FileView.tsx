import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { save } from '@/api/download';
import { fetchFile } from '@/api/file';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { formatBytes } from '@/ui/FileDrop';
import { usePress } from '@/ui/usePress';
import { type Attached, kindOf } from './content';
import { Player } from './Player';

/** A preview stands still. */
const MOVES = 'image/gif';

interface FileViewProps {
  id: string;
  title: string;
  file: Attached;
  from?: number;
  staff?: boolean;
}

/** What hangs on an item: watched, looked at, and to be had as a file. */
export function FileView({ id, title, file, from, staff = false }: FileViewProps) {
  const { t } = useTranslation('content');
  const { busy, run } = usePress(async (wanted: Attached) => save(await fetchFile(wanted.file), wanted.name));
  const kind = kindOf(file);
  return (
    <div>
      {kind === 'video' ? (
        <Player id={id} title={title} staff={staff} {...(from !== undefined && { from })} />
      ) : (
        <ProofViewer
          file={file.file}
          kind={file.mime}
          name={file.name}
          height="60dvh"
          preview={kind === 'image' && file.mime !== MOVES}
        />
      )}
      <Group justify="space-between" mt="sm" gap="xs">
        <Text fz="xs" c="dimmed">
          <span>{t(($) => $.file[kind])}</span> · <span className="num">{formatBytes(file.bytes)}</span>
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={busy}
          leftSection={<IconDownload size={15} aria-hidden />}
          onClick={() => void run(file)}
        >
          {t(($) => $.item.download)}
        </Button>
      </Group>
    </div>
  );
}
