import { NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { MoneyInput } from '@/ui/MoneyInput';
import { isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { savePool } from './pools';

interface PoolFormProps {
  /** None: a new one. */
  pool: Schemas['PoolView'] | null;
  onClose: () => void;
  onSaved: () => void;
}

/** A pool's plan; what is in it stays under the terms of when it came. */
export function PoolForm({ pool, onClose, onSaved }: PoolFormProps) {
  const { t } = useTranslation('pools');
  const [name, setName] = useState(pool?.name ?? '');
  const [termDays, setTermDays] = useState<number>(pool?.termDays ?? 90);
  const [minimum, setMinimum] = useState(pool?.minimum ?? '');
  const [open, setOpen] = useState(pool?.open ?? true);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={pool ? t(($) => $.plan.editTitle, { name: pool.name }) : t(($) => $.plan.create)}
      consequence={pool ? t(($) => $.plan.editHint) : undefined}
      confirmLabel={t(($) => $.plan.save)}
      ready={name.trim() !== '' && termDays >= 1 && minimum !== '' && isPositive(minimum)}
      onConfirm={async () => {
        await savePool({ pool, name, termDays, minimum, open });
        toast.success(t(($) => $.plan.saved));
        onSaved();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t(($) => $.plan.name)}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={60}
          required
        />
        <NumberInput
          label={t(($) => $.plan.term)}
          value={termDays}
          onChange={(next) => setTermDays(typeof next === 'number' ? next : 0)}
          min={1}
          max={1825}
          allowDecimal={false}
          required
        />
        <MoneyInput label={t(($) => $.plan.minimum)} value={minimum} onChange={setMinimum} required />
        {pool && (
          <Switch
            label={t(($) => $.plan.takesMoney)}
            checked={open}
            onChange={(event) => setOpen(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
