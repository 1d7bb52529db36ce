import { NumberInput, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { MomentInput } from '@/ui/MomentInput';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { toast } from '@/ui/toast';
import { type StaffRound, saveRound } from './exchange';

const OFFSET = '-03:00';
/** As the clocks in Brasília say it. */
const local = (at: string | number) =>
  new Date(new Date(at).getTime() - 3 * 3_600_000).toISOString().slice(0, 16);
const plain = (value: string) => value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/** A round's terms: the first person's half, or other terms before it begins. */
export function RoundDialog({ round, onClose }: { round: StaffRound | null; onClose: () => void }) {
  const { t } = useTranslation('exchange');
  const [price, setPrice] = useState(round ? plain(round.price) : '');
  const [supply, setSupply] = useState(round ? plain(round.supply) : '');
  const [cap, setCap] = useState(round ? plain(round.cap) : '');
  const [starts, setStarts] = useState(() => local(round?.startsAt ?? Date.now()));
  const [ends, setEnds] = useState(round ? local(round.endsAt) : '');
  const [cliff, setCliff] = useState<number | string>(round?.cliffDays ?? '');
  const [days, setDays] = useState<number | string>(round?.vestingDays ?? '');
  const amounts = [price, supply, cap].every((value) => value !== '' && isPositive(value));
  const capFits = !amounts || compare(cap, supply) <= 0;
  const timesFit = starts !== '' && ends !== '' && starts < ends;
  const ready = amounts && capFits && timesFit && typeof cliff === 'number' && typeof days === 'number';
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={round ? t(($) => $.staff.editTitle, { number: round.number }) : t(($) => $.staff.proposeTitle)}
      consequence={t(($) => $.staff.proposeNote)}
      confirmLabel={t(($) => $.staff[round ? 'save' : 'propose'])}
      ready={ready}
      onConfirm={async ({ idempotencyKey }) => {
        const terms = {
          price,
          supply,
          cap,
          startsAt: `${starts}:00${OFFSET}`,
          endsAt: `${ends}:00${OFFSET}`,
          cliffDays: Number(cliff),
          vestingDays: Number(days),
        };
        await saveRound({ id: round?._id, ...terms }, idempotencyKey);
        toast.success(t(($) => $.staff.proposed));
      }}
    >
      <MoneyInput label={t(($) => $.presale.price)} value={price} onChange={setPrice} required />
      <MoneyInput
        label={t(($) => $.presale.supply)}
        currency="PYX"
        value={supply}
        onChange={setSupply}
        required
      />
      <MoneyInput
        label={t(($) => $.presale.cap)}
        currency="PYX"
        value={cap}
        onChange={setCap}
        error={capFits ? undefined : t(($) => $.staff.capTooHigh)}
        required
      />
      <MomentInput label={t(($) => $.staff.starts)} value={starts} onChange={setStarts} required />
      <MomentInput
        label={t(($) => $.staff.ends)}
        value={ends}
        min={starts.slice(0, 10) || undefined}
        onChange={setEnds}
        error={ends !== '' && !timesFit ? t(($) => $.staff.endsBefore) : undefined}
        required
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={t(($) => $.staff.cliff)}
          value={cliff}
          onChange={setCliff}
          min={0}
          max={1825}
          allowDecimal={false}
          required
        />
        <NumberInput
          label={t(($) => $.staff.days)}
          value={days}
          onChange={setDays}
          min={1}
          max={3650}
          allowDecimal={false}
          required
        />
      </SimpleGrid>
    </ConfirmDialog>
  );
}
