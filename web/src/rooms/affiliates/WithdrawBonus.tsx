import { Text } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBalances } from '@/live/balances';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive, subtract } from '@/ui/money';
import { toast } from '@/ui/toast';
import { withdrawBonus } from './network';

/** Bonuses go to the balance, any part of them, on any day. */
export function WithdrawBonus() {
  const { t } = useTranslation('affiliates');
  const { t: common } = useTranslation();
  const format = useFormat();
  const bonus = useBalances(({ bonus }) => bonus?.balance) ?? '0';
  const [asking, setAsking] = useState(false);
  const [value, setValue] = useState('');
  const fine = value !== '' && isPositive(value) && compare(value, bonus) <= 0;
  return (
    <>
      <GuardedButton
        allowed={isPositive(bonus)}
        reason={t(($) => $.withdraw.nothing)}
        leftSection={<IconWallet size={17} aria-hidden />}
        onClick={() => {
          setValue('');
          setAsking(true);
        }}
      >
        {t(($) => $.withdraw.action)}
      </GuardedButton>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t(($) => $.withdraw.title)}
        facts={[
          { label: t(($) => $.withdraw.has), value: <Money value={bonus} digits={6} /> },
          {
            label: t(($) => $.withdraw.left),
            value: <Money value={fine ? subtract(bonus, value) : bonus} digits={6} />,
          },
        ]}
        consequence={t(($) => $.withdraw.consequence)}
        confirmLabel={t(($) => $.withdraw.confirm)}
        failed={common(($) => $.error.withdraw)}
        ready={fine}
        onConfirm={async ({ idempotencyKey }) => {
          await withdrawBonus(value, idempotencyKey);
          toast.success(t(($) => $.withdraw.done, { value: format.usdt(value) }));
        }}
      >
        <MoneyInput
          label={t(($) => $.withdraw.value)}
          value={value}
          onChange={setValue}
          max={bonus}
          positive
          required
          autoFocus
        />
        <Text fz="sm" c="dimmed">
          {t(($) => $.withdraw.held)}
        </Text>
      </ConfirmDialog>
    </>
  );
}
