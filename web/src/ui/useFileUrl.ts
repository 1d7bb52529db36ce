/** A file shown from memory, by an address that lasts as long as what shows it. */
import { useEffect, useState } from 'react';
import { fetchFile, PICTURES, type Size } from '@/api/file';

/** What the server lets through. A blob of ours must not become a page, whatever it says that it is. */
const SHOWN = [...PICTURES, 'application/pdf'];

/** With `size` a small picture in the place of the file. */
export function useFileUrl(file: string | null | undefined, size?: Size) {
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is the retry.
  useEffect(() => {
    setUrl(null);
    setError(null);
    if (!file) return;
    const stop = new AbortController();
    let made: string | null = null;
    fetchFile(file, stop.signal, size).then(
      (blob) => {
        if (stop.signal.aborted) return;
        made = URL.createObjectURL(
          SHOWN.includes(blob.type) ? blob : blob.slice(0, blob.size, 'application/octet-stream'),
        );
        setUrl(made);
      },
      (thrown) => !stop.signal.aborted && setError(thrown),
    );
    return () => {
      stop.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [file, size, round]);
  return { url, error, again: () => setRound((before) => before + 1) };
}
