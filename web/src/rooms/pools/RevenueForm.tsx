import { SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { businessDay, DAY_MS, serverNow } from '@/api/clock';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { DayInput } from '@/ui/DayInput';
import { FileDrop, PROOF_TYPES } from '@/ui/FileDrop';
import { MoneyInput } from '@/ui/MoneyInput';
import { isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { recordRevenue } from './pools';

const MAX_BYTES = 8 * 1024 * 1024;
const HASH = /^0x[0-9a-f]{64}$/i;

/** Yesterday in São Paulo: the last day whose revenue can be known. */
const yesterday = () => businessDay(serverNow() - DAY_MS);

/** Revenue of a period with what proves it; it is this person's approval and waits for another one. */
export function RevenueForm({ pool, onClose }: { pool: Schemas['PoolView']; onClose: () => void }) {
  const { t } = useTranslation('pools');
  const [source, setSource] = useState<'custody' | 'chain'>('custody');
  const [value, setValue] = useState('');
  const [fromDay, setFromDay] = useState(yesterday);
  const [toDay, setToDay] = useState(yesterday);
  const [note, setNote] = useState('');
  const [txHash, setTxHash] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const proven = source === 'custody' ? file !== null : HASH.test(txHash.trim());
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.revenue.recordTitle, { pool: pool.name })}
      consequence={t(($) => $.revenue.recordHint)}
      confirmLabel={t(($) => $.revenue.record)}
      ready={value !== '' && isPositive(value) && fromDay <= toDay && note.trim() !== '' && proven}
      onConfirm={async ({ idempotencyKey }) => {
        const order: Record<string, string | File> = { value, fromDay, toDay, note };
        if (source === 'chain') order.txHash = txHash.trim();
        else if (file) order.file = file;
        try {
          await recordRevenue({ pool: pool._id, order, onProgress: setProgress }, idempotencyKey);
        } finally {
          setProgress(null);
        }
        toast.success(t(($) => $.revenue.recorded));
      }}
    >
      <Stack gap="sm">
        <MoneyInput label={t(($) => $.revenue.value)} value={value} onChange={setValue} required autoFocus />
        <DayInput
          label={t(($) => $.revenue.from)}
          value={fromDay}
          max={yesterday()}
          onChange={setFromDay}
          required
        />
        <DayInput
          label={t(($) => $.revenue.to)}
          value={toDay}
          max={yesterday()}
          onChange={setToDay}
          required
        />
        <Textarea
          label={t(($) => $.revenue.note)}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
          autosize
          required
        />
        <div>
          <Text fz="sm" fw={500} mb={4}>
            {t(($) => $.revenue.source)}
          </Text>
          <SegmentedControl
            aria-label={t(($) => $.revenue.source)}
            value={source}
            onChange={(next) => setSource(next as 'custody' | 'chain')}
            data={(['custody', 'chain'] as const).map((one) => ({
              value: one,
              label: t(($) => $.revenue.sources[one]),
            }))}
            fullWidth
          />
        </div>
        {source === 'custody' ? (
          <FileDrop
            label={t(($) => $.revenue.proof)}
            value={file}
            onChange={setFile}
            accept={PROOF_TYPES}
            maxBytes={MAX_BYTES}
            progress={progress}
          />
        ) : (
          <TextInput
            label={t(($) => $.revenue.txHash)}
            value={txHash}
            onChange={(event) => setTxHash(event.currentTarget.value)}
            error={txHash !== '' && !HASH.test(txHash.trim()) ? t(($) => $.revenue.badHash) : undefined}
            required
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
