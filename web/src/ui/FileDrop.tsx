import { ActionIcon, Group, Progress, Text } from '@mantine/core';
import { IconFile, IconUpload, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { useTranslation } from 'react-i18next';
import { scales } from '@/api/scaleDown';
import classes from './FileDrop.module.css';

interface FileDropProps {
  label: string;
  value: File | null;
  onChange: (file: File | null) => void;
  /** MIME type → extensions, as the file dialog wants it. The server decides by content. */
  accept: Record<string, string[]>;
  maxBytes: number;
  /** 0–1 while uploading. */
  progress?: number | null;
  error?: string | undefined;
}

export const PROOF_TYPES = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'application/pdf': ['.pdf'],
};
export const IMAGE_TYPES = { 'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'], 'image/gif': ['.gif'] };

/** As a reader knows them: PNG, JPG. */
export const kindsOf = (accept: Readonly<Record<string, readonly string[]>>): string =>
  [...new Set(Object.values(accept).flat())].map((name) => name.slice(1).toUpperCase()).join(', ');

/**
 * One file by drop, click or keyboard. What is too large or of another kind is said at once (a large picture is scaled down when
 * it is sent); the server checks again.
 */
export function FileDrop({ label, value, onChange, accept, maxBytes, progress, error }: FileDropProps) {
  const { t } = useTranslation('lists');
  const [refused, setRefused] = useState<string | null>(null);
  const hint = useId();
  const kinds = kindsOf(accept);
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MB`;
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    accept,
    multiple: false,
    noClick: true,
    noKeyboard: true,
    onDrop: (files, rejections) => {
      const [file] = files;
      const tooLarge = file !== undefined && file.size > maxBytes && !scales(file);
      setRefused(
        tooLarge
          ? t(($) => $.file.tooLarge, { limit })
          : rejections.length > 0
            ? t(($) => $.file.wrongType, { kinds })
            : null,
      );
      if (file && !tooLarge) onChange(file);
    },
  });
  const problem = refused ?? error;
  return (
    <div>
      <Text fz="sm" fw={500} mb={4}>
        {label}
      </Text>
      <div {...getRootProps({ role: undefined, tabIndex: undefined })}>
        <input {...getInputProps({ 'aria-label': label })} />
        {value ? (
          <Group className={classes.drop} wrap="nowrap" justify="space-between" style={{ cursor: 'default' }}>
            <Group gap="sm" wrap="nowrap" miw={0}>
              <IconFile size={22} stroke={1.6} aria-hidden />
              <div style={{ minWidth: 0, textAlign: 'left' }}>
                <Text fz="sm" fw={600} truncate>
                  {value.name}
                </Text>
                <Text fz="xs" c="dimmed" className="num">
                  {formatBytes(value.size)}
                </Text>
              </div>
            </Group>
            <ActionIcon
              aria-label={t(($) => $.file.remove, { name: value.name })}
              onClick={() => {
                setRefused(null);
                onChange(null);
              }}
            >
              <IconX size={17} aria-hidden />
            </ActionIcon>
          </Group>
        ) : (
          <button
            type="button"
            onClick={open}
            className={classes.drop}
            data-over={isDragActive || undefined}
            data-bad={problem ? true : undefined}
            aria-describedby={hint}
            style={{ width: '100%', color: 'inherit', font: 'inherit' }}
          >
            <IconUpload size={24} stroke={1.5} aria-hidden />
            <Text fz="sm" fw={500}>
              {t(($) => $.file.drop)}
            </Text>
            <Text fz="xs" c="dimmed" id={hint} component="span">
              {t(($) => $.file.hint, { kinds, limit })}
            </Text>
          </button>
        )}
      </div>
      {progress != null && (
        <Progress value={progress * 100} mt={8} size="sm" aria-label={t(($) => $.file.uploading)} animated />
      )}
      {problem && (
        <Text fz="xs" c="var(--mantine-color-error)" mt={5} role="alert">
          {problem}
        </Text>
      )}
    </div>
  );
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(0)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
