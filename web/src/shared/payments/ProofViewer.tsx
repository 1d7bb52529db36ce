import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFileUrl } from '@/ui/useFileUrl';

interface ProofViewerProps {
  file: string;
  kind: string;
  /** What it is called where it is no proof of a payment. */
  name?: string;
  height?: number | string;
  /** Of a picture that the server keeps a small one of: that is shown. All of it is to be had elsewhere. */
  preview?: boolean;
}

/** A file that only its parent's readers may see: fetched with the token, shown from memory, never as a page of its own origin. */
export function ProofViewer({ file, kind, name, height = 420, preview = false }: ProofViewerProps) {
  const { t } = useTranslation('shell');
  const { t: common } = useTranslation();
  const { url, error, again } = useFileUrl(file, preview ? 'preview' : undefined);
  const title = name ?? (kind === 'application/pdf' ? t(($) => $.proof.pdf) : t(($) => $.proof.image));
  if (error !== null)
    return <ErrorCard what={name ?? t(($) => $.proof.what)} error={error} onRetry={again} />;
  return (
    <figure style={{ margin: 0 }}>
      {url === null ? (
        <Skeleton h={height} radius="md" role="status" aria-label={common(($) => $.loading)} />
      ) : kind === 'application/pdf' ? (
        <iframe
          src={url}
          title={title}
          style={{ width: '100%', height, border: 0, borderRadius: 8, background: '#fff' }}
        />
      ) : (
        <img
          src={url}
          alt={title}
          style={{
            display: 'block',
            width: '100%',
            maxHeight: height,
            objectFit: 'contain',
            borderRadius: 8,
          }}
        />
      )}
      <Group component="figcaption" justify="space-between" mt={6}>
        <Text fz="xs" c="dimmed">
          {title}
        </Text>
        {url !== null && !preview && (
          <Anchor href={url} target="_blank" rel="noreferrer" fz="xs">
            <span>{t(($) => $.proof.open)}</span> <IconExternalLink size={12} aria-hidden />
          </Anchor>
        )}
      </Group>
    </figure>
  );
}
