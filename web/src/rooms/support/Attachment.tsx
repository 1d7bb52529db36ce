import { Loader, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFileTypePdf, IconPhoto } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Schemas, send } from '@/api/client';
import { problemOf } from '@/api/problem';
import { apiUrl } from '@/api/url';
import { formatBytes } from '@/ui/FileDrop';
import { usePress } from '@/ui/usePress';
import classes from './ChatPanel.module.css';

type Attached = Schemas['AttachmentView'];

/** The bytes with our token: a plain link could not carry it. */
async function fetchFile(file: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(new Request(apiUrl(`/files/${file}`), { ...(signal && { signal }) }));
  if (!response.ok) throw await problemOf(response);
  return response.blob();
}

export function Attachment({ attachment }: { attachment: Attached }) {
  return attachment.mime.startsWith('image/') ? (
    <Picture attachment={attachment} />
  ) : (
    <FileLink attachment={attachment} />
  );
}

function Picture({ attachment }: { attachment: Attached }) {
  const { t } = useTranslation('support');
  const [url, setUrl] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const [opened, { open, close }] = useDisclosure(false);
  useEffect(() => {
    const leaving = new AbortController();
    let made: string | null = null;
    fetchFile(attachment.file, leaving.signal).then(
      (blob) => {
        if (leaving.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => !leaving.signal.aborted && setFailed(true),
    );
    return () => {
      leaving.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [attachment.file]);
  if (failed) return <FileLink attachment={attachment} />;
  const label = t(($) => $.chat.image, { name: attachment.name });
  return (
    <>
      <button
        type="button"
        className={classes.picture}
        onClick={open}
        aria-label={t(($) => $.chat.open, { name: attachment.name })}
        style={url === null ? { width: 180, height: 120, display: 'grid', placeItems: 'center' } : undefined}
      >
        {url === null ? <Loader size="sm" aria-hidden /> : <img src={url} alt={label} />}
      </button>
      <Modal
        opened={opened && url !== null}
        onClose={close}
        size="auto"
        centered
        title={attachment.name}
        closeButtonProps={{ 'aria-label': t(($) => $.chat.cancel) }}
      >
        {url !== null && <img src={url} alt={label} style={{ display: 'block', maxWidth: '100%' }} />}
      </Modal>
    </>
  );
}

function FileLink({ attachment }: { attachment: Attached }) {
  const { t } = useTranslation('support');
  const { busy, run: save } = usePress(async ({ file, name }: Attached) => {
    const url = URL.createObjectURL(await fetchFile(file));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  const Icon = attachment.mime === 'application/pdf' ? IconFileTypePdf : IconPhoto;
  return (
    <button
      type="button"
      className={classes.file}
      onClick={() => void save(attachment)}
      aria-label={t(($) => $.chat.open, { name: attachment.name })}
    >
      {busy ? <Loader size={20} aria-hidden /> : <Icon size={22} stroke={1.5} aria-hidden />}
      <span style={{ minWidth: 0 }}>
        <Text span fz="sm" fw={600} display="block" style={{ overflowWrap: 'anywhere' }}>
          {attachment.name}
        </Text>
        <Text span fz="xs" c="dimmed" className="num">
          {formatBytes(attachment.bytes)}
        </Text>
      </span>
    </button>
  );
}
