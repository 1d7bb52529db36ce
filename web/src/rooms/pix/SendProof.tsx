import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDrop, PROOF_TYPES } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { type PixDeposit, sendProof } from './deposits';

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
  const { busy, failure, run, clear } = useSubmit(sendProof, (sent) => {
    toast.success(t(($) => $.pay.sent));
    setFile(null);
    onSent?.(sent);
  });
  const choose = (next: File | null) => {
    setFile(next);
    clear();
  };
  const send = async () => {
    if (!file) return;
    setProgress(0);
    await run({ id: deposit._id, file, onProgress: setProgress });
    setProgress(null);
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
        error={failure ? errorText(failure.error) : undefined}
      />
      <GuardedButton
        allowed={file !== null}
        reason={t(($) => $.pay.choose)}
        loading={busy}
        onClick={() => void send()}
        fullWidth
      >
        {t(($) => $.pay.send)}
      </GuardedButton>
    </Stack>
  );
}
