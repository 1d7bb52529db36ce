import { Button, CloseButton, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FileCall, saveFile } from '@/api/download';
import { useFormat } from './format';
import { toast } from './toast';
import { useErrorText } from './useErrorText';

interface FileButtonProps {
  /** Names the file if the server does not. */
  name: string;
  file: FileCall;
  /** How many rows it will have, once known. */
  total: number | undefined;
}

/** All rows that match as a file of the server's; says how many, how far it is, and can be stopped. */
export function FileButton({ name, file, total }: FileButtonProps) {
  const { t: lists } = useTranslation('lists');
  const { count } = useFormat();
  const errorText = useErrorText();
  const [come, setCome] = useState<{ rows: number; total: number | undefined } | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const save = async () => {
    const stop = new AbortController();
    running.current = stop;
    setCome({ rows: 0, total });
    try {
      await saveFile(file, stop.signal, (rows, all) => setCome({ rows, total: all }), `${name}.csv`);
    } catch (error) {
      if (!stop.signal.aborted) toast.danger(errorText(error));
    }
    running.current = null;
    setCome(null);
  };
  if (come)
    return (
      <Group gap={4} wrap="nowrap">
        <Text fz="sm" c="dimmed" className="num" role="status">
          {come.total === undefined
            ? lists(($) => $.table.file.running)
            : lists(($) => $.table.file.come, { rows: count(come.rows), total: count(come.total) })}
        </Text>
        <CloseButton
          size="sm"
          aria-label={lists(($) => $.table.file.cancel)}
          title={lists(($) => $.table.file.cancel)}
          onClick={() => running.current?.abort()}
        />
      </Group>
    );
  // A file of nothing.
  if (total === 0) return null;
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void save()}
    >
      {total === undefined
        ? lists(($) => $.table.csv)
        : lists(($) => $.table.file.rows, { count: total, shown: count(total) })}
    </Button>
  );
}
