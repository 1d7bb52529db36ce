import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { upload } from '@/api/upload';
import { FileDrop, PROOF_TYPES } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { type PixDeposit, patchLists, refetchLists } from './deposits';

const MAX_BYTES = 8 * 1024 * 1024;

/** One file, its way to the server shown; the server decides by content whether it passes. */
export function SendProof({
  deposit,
  onSent,
}: {
  deposit: PixDeposit;
  onSent?: (deposit: PixDeposit) => void;
}) {
  const { t } = useTranslation('pix');
  const errorText = useErrorText();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const choose = (next: File | null) => {
    setFile(next);
    setError(null);
  };
  const send = async () => {
    if (!file || progress !== null) return;
    setProgress(0);
    setError(null);
    const form = new FormData();
    form.append('file', file);
    try {
      const sent = await upload<PixDeposit>({
        path: `/deposit-pix/${deposit._id}/proof`,
        form,
        onProgress: setProgress,
      });
      patchLists(sent);
      void refetchLists();
      toast.success(t(($) => $.pay.sent));
      setFile(null);
      onSent?.(sent);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setProgress(null);
    }
  };
  return (
    <Stack gap="sm">
      <FileDrop
        label={t(($) => $.pay.proof)}
        value={file}
        onChange={choose}
        accept={PROOF_TYPES}
        maxBytes={MAX_BYTES}
        progress={progress}
        error={error === null ? undefined : errorText(error)}
      />
      <GuardedButton
        allowed={file !== null}
        reason={t(($) => $.pay.choose)}
        loading={progress !== null}
        onClick={() => void send()}
        fullWidth
      >
        {t(($) => $.pay.send)}
      </GuardedButton>
    </Stack>
  );
}
