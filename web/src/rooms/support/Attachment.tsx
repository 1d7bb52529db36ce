import { Button, Group, Loader, Modal, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconFileTypePdf, IconPhoto } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { save } from '@/api/download';
import { fetchFile } from '@/api/file';
import { ProofViewer } from '@/shared/payments/ProofViewer';
import { formatBytes } from '@/ui/FileDrop';
import { useFileUrl } from '@/ui/useFileUrl';
import { usePress } from '@/ui/usePress';
import classes from './ChatPanel.module.css';

type Attached = Schemas['AttachmentView'];
const PDF = 'application/pdf';

export function Attachment({ attachment }: { attachment: Attached }) {
  if (attachment.mime.startsWith('image/')) return <Picture attachment={attachment} />;
  return attachment.mime === PDF ? (
    <Document attachment={attachment} />
  ) : (
    <FileLink attachment={attachment} />
  );
}

/** Read where it was sent, over the conversation; the whole screen of a phone. */
function Document({ attachment }: { attachment: Attached }) {
  const { t } = useTranslation('support');
  const phone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  const { busy, run } = useSave();
  return (
    <>
      <FileButton attachment={attachment} onClick={open} />
      <Modal
        opened={opened}
        onClose={close}
        size="min(1000px, 94vw)"
        fullScreen={phone ?? false}
        centered
        title={<span translate="no">{attachment.name}</span>}
      >
        <ProofViewer file={attachment.file} kind={attachment.mime} name={attachment.name} height="70dvh" />
        <Group justify="flex-end" mt="sm">
          <Button
            variant="default"
            size="xs"
            loading={busy}
            leftSection={<IconDownload size={15} aria-hidden />}
            onClick={() => void run(attachment)}
          >
            {t(($) => $.chat.download)}
          </Button>
        </Group>
      </Modal>
    </>
  );
}

/** How large a picture was when it was last shown here: a row that is drawn again is as high as before at once. */
const sizes = new Map<string, { width: number; height: number }>();
const UNSEEN = { width: 180, height: 120 };

function Picture({ attachment }: { attachment: Attached }) {
  const { t } = useTranslation('support');
  const [opened, { open, close }] = useDisclosure(false);
  // A preview stands still.
  const moves = attachment.mime === 'image/gif';
  const { url, error } = useFileUrl(attachment.file, moves ? undefined : 'preview');
  // All of it, for who looks closer; until it is there the preview.
  const { url: whole } = useFileUrl(opened && !moves ? attachment.file : null);
  if (error !== null) return <FileLink attachment={attachment} />;
  const label = t(($) => $.chat.image, { name: attachment.name });
  const room = { ...(sizes.get(attachment.file) ?? UNSEEN), display: 'grid', placeItems: 'center' };
  return (
    <>
      <button
        type="button"
        className={classes.picture}
        onClick={open}
        aria-label={t(($) => $.chat.open, { name: attachment.name })}
        style={url === null ? room : undefined}
      >
        {url === null ? (
          <Loader size="sm" aria-hidden />
        ) : (
          <img
            src={url}
            alt={label}
            onLoad={({ currentTarget: { width, height } }) => sizes.set(attachment.file, { width, height })}
          />
        )}
      </button>
      <Modal
        opened={opened && url !== null}
        onClose={close}
        size="auto"
        centered
        title={attachment.name}
        closeButtonProps={{ 'aria-label': t(($) => $.chat.cancel) }}
      >
        {url !== null && (
          <img src={whole ?? url} alt={label} style={{ display: 'block', maxWidth: '100%' }} />
        )}
      </Modal>
    </>
  );
}

const useSave = () => usePress(async ({ file, name }: Attached) => save(await fetchFile(file), name));

function FileLink({ attachment }: { attachment: Attached }) {
  const { busy, run } = useSave();
  return <FileButton attachment={attachment} busy={busy} onClick={() => void run(attachment)} />;
}

interface FileButtonProps {
  attachment: Attached;
  busy?: boolean;
  onClick: () => void;
}

function FileButton({ attachment, busy = false, onClick }: FileButtonProps) {
  const { t } = useTranslation('support');
  const Icon = attachment.mime === PDF ? IconFileTypePdf : IconPhoto;
  return (
    <button
      type="button"
      className={classes.file}
      onClick={onClick}
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
