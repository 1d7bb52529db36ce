import { Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBalances } from '@/live/balances';
import { inOrder, type Licence, useLicences } from '@/live/licences';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive, subtract } from '@/ui/money';
import { capitalOf } from './capital';
import { type Move, moveMoney, type OwnSource } from './licences';
import type { ReceiptOf } from './Receipt';
import { useLicenceTerms } from './useLicenceTerms';

interface MoneyDialogProps {
  move: Move | null;
  licence: Licence;
  onClose: () => void;
  onDone: (receipt: ReceiptOf) => void;
}

const OWN = 'own';

/** One amount moved in, out of or between licences: source or target, the amount, what will be. */
export function MoneyDialog({ move, ...rest }: MoneyDialogProps) {
  return move && <Dialog key={move} move={move} {...rest} />;
}

function Dialog({ move, licence, onClose, onDone }: MoneyDialogProps & { move: Move }) {
  const { t } = useTranslation('licences');
  const { t: common } = useTranslation();
  const days = useLicenceTerms().data?.lockedDays;
  const free = days === undefined ? '\u00a0' : t(($) => $.moves.topup.free, { count: days });
  const [value, setValue] = useState('');
  const [source, setSource] = useState('available');
  const [target, setTarget] = useState(OWN);
  const balances = useBalances();
  const byId = useLicences((book) => book.byId);
  const name = (one: Licence) => t(($) => $.name, { number: one.number });
  const active = inOrder(byId).filter((one) => one.state === 'active');
  const room = subtract(licence.allocationLimit, capitalOf(licence));

  const kept = (account: OwnSource) => balances[account]?.balance ?? '0';
  const sources = [
    { value: 'available', label: t(($) => $.sources.available), most: kept('available') },
    { value: 'bonus', label: t(($) => $.sources.bonus), most: kept('bonus') },
    { value: 'sponsored', label: t(($) => $.sources.sponsored), most: kept('sponsored') },
    ...active.map((one) => ({
      value: one._id,
      label: t(($) => $.sources.yield, { number: one.number }),
      most: one.yield,
    })),
  ].filter((one) => one.value === 'available' || isPositive(one.most));
  const chosen = sources.find((one) => one.value === source);
  const least = (a: string, b: string) => (compare(a, b) < 0 ? a : b);
  const most = {
    topup: least(chosen?.most ?? '0', room),
    allocate: licence.topup,
    relocate: subtract(licence.allocated, licence.reserved),
    capital: licence.topup,
    yield: licence.yield,
  }[move];

  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.moves[move].title, { number: licence.number })}
      facts={[
        { label: t(($) => $.topup), value: <Money value={licence.topup} /> },
        { label: t(($) => $.allocated), value: <Money value={licence.allocated} /> },
      ]}
      consequence={move === 'topup' ? free : t(($) => $.moves[move].consequence)}
      confirmLabel={t(($) => $.moves[move].confirm)}
      failed={move === 'capital' || move === 'yield' ? common(($) => $.error.withdraw) : undefined}
      ready={value !== '' && isPositive(value) && compare(value, most) <= 0}
      onConfirm={async ({ idempotencyKey }) => {
        const order = { move, licence: licence._id, value, source, target: target === OWN ? null : target };
        const { transfers } = await moveMoney(order, idempotencyKey);
        onDone({ title: t(($) => $.moves[move].done), transfers });
      }}
    >
      <Stack gap="sm">
        {move === 'topup' && (
          <Select
            label={t(($) => $.source)}
            data={sources.map(({ value, label }) => ({ value, label }))}
            value={source}
            onChange={(next) => next && setSource(next)}
            allowDeselect={false}
          />
        )}
        {move === 'relocate' && (
          <Select
            label={t(($) => $.target)}
            data={[
              { value: OWN, label: t(($) => $.ownTopup) },
              ...active
                .filter((one) => one._id !== licence._id)
                .map((one) => ({ value: one._id, label: name(one) })),
            ]}
            value={target}
            onChange={(next) => next && setTarget(next)}
            allowDeselect={false}
          />
        )}
        <MoneyInput
          label={t(($) => $.value)}
          value={value}
          onChange={setValue}
          max={most}
          positive
          required
          autoFocus
        />
      </Stack>
    </ConfirmDialog>
  );
}
