import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '@/api/client';
import { problemOf } from '@/api/problem';
import { apiUrl } from '@/api/url';
import { ErrorCard } from '@/ui/ErrorCard';

const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'application/pdf'];

interface ProofViewerProps {
  file: string;
  kind: string;
  /** What it is called where it is no proof of a payment. */
  name?: string;
  height?: number | string;
}

/** A file that only its parent's readers may see: fetched with the token, shown from memory, never as a page of its own origin. */
export function ProofViewer({ file, kind, name, height = 420 }: ProofViewerProps) {
  const { t } = useTranslation('shell');
  const { t: common } = useTranslation();
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is the retry.
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    setUrl(null);
    setError(null);
    (async () => {
      try {
        const response = await send(new Request(apiUrl(`/files/${file}`), { signal: stop.signal }));
        if (!response.ok) throw await problemOf(response);
        const bytes = await response.arrayBuffer();
        if (stop.signal.aborted) return;
        // Of the kinds that the server lets through, and no other: a blob of ours must not become a page.
        made = URL.createObjectURL(
          new Blob([bytes], { type: KINDS.includes(kind) ? kind : 'application/octet-stream' }),
        );
        setUrl(made);
      } catch (thrown) {
        if (!stop.signal.aborted) setError(thrown);
      }
    })();
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [file, kind, round]);

  const title = name ?? (kind === 'application/pdf' ? t(($) => $.proof.pdf) : t(($) => $.proof.image));
  if (error !== null)
    return (
      <ErrorCard
        what={name ?? t(($) => $.proof.what)}
        error={error}
        onRetry={() => setRound((before) => before + 1)}
      />
    );
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
        {url !== null && (
          <Anchor href={url} target="_blank" rel="noreferrer" fz="xs">
            <span>{t(($) => $.proof.open)}</span> <IconExternalLink size={12} aria-hidden />
          </Anchor>
        )}
      </Group>
    </figure>
  );
}
