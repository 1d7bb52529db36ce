import { Alert, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { useBalances } from '@/live/balances';
import type { Licence } from '@/live/licences';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import { borrow, debtOf, repay } from './loans';
import type { ReceiptOf } from './Receipt';

interface LoanDialogProps {
  licence: Licence;
  opened: boolean;
  onClose: () => void;
  onDone: (receipt: ReceiptOf) => void;
}

const useTerms = (licence: Licence, value: string, enabled: boolean) =>
  $api.useQuery(
    'get',
    '/licences/{licence}/loan-terms',
    { params: { path: { licence: licence._id }, query: value ? { value } : {} } },
    // What was quoted stays on the screen while the next quote is on its way.
    { enabled, placeholderData: (before) => before },
  );

/** Borrows on a licence's free capital: the most there is, what it costs, what it binds. */
export function LoanDialog(props: LoanDialogProps) {
  return props.opened && <Borrow {...props} />;
}

function Borrow({ licence, onClose, onDone }: LoanDialogProps) {
  const { t } = useTranslation('licences');
  const { decimal, exact } = useFormat();
  const [value, setValue] = useState('');
  const [asked] = useDebouncedValue(value, 200);
  const terms = useTerms(licence, isPositive(asked || '0') ? asked : '', true);
  const { data } = terms;
  const quote = value !== '' && data?.quote && compare(data.quote.value, value) === 0 ? data.quote : null;
  const facts = [
    ...(data ? [{ label: t(($) => $.loan.free), value: <Money value={data.free} /> }] : []),
    ...(quote
      ? [
          {
            label: t(($) => $.loan.fee, { percent: exact(data?.feePercent ?? '0') }),
            value: <Money value={quote.fee} digits={6} />,
          },
          { label: t(($) => $.loan.received), value: <Money value={quote.received} digits={6} /> },
          { label: t(($) => $.loan.stays), value: <Money value={quote.stays} digits={6} /> },
          { label: t(($) => $.loan.stopsBelow), value: <Money value={quote.stopsBelow} digits={6} /> },
        ]
      : []),
  ];
  const nothing = data && !isPositive(data.maximum);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.loan.title, { number: licence.number })}
      facts={facts}
      consequence={t(($) => $.loan.consequence)}
      confirmLabel={t(($) => $.loan.confirm)}
      ready={quote !== null && data !== undefined && compare(value, data.maximum) <= 0}
      onConfirm={async ({ idempotencyKey }) => {
        const { transfers } = await borrow({ licence: licence._id, value }, idempotencyKey);
        onDone({
          title: t(($) => $.loan.done),
          transfers,
          facts: quote
            ? [
                {
                  label: t(($) => $.loan.fee, { percent: exact(data?.feePercent ?? '0') }),
                  value: <Money value={quote.fee} digits={6} />,
                },
              ]
            : [],
        });
      }}
    >
      {terms.error && !data ? (
        <ErrorCard what={t(($) => $.loan.what)} error={terms.error} onRetry={terms.refetch} />
      ) : !data ? (
        <Skeleton h={88} radius="md" />
      ) : nothing ? (
        <Alert color="gold" variant="light">
          {t(($) => $.loan.nothing)}
        </Alert>
      ) : (
        <MoneyInput
          label={t(($) => $.value)}
          value={value}
          onChange={setValue}
          max={data.maximum}
          description={t(($) => $.loan.maximum, {
            maximum: decimal(data.maximum, 2),
            share: exact(data.share),
          })}
          required
          autoFocus
        />
      )}
    </ConfirmDialog>
  );
}

/** Repays an open loan, wholly unless less is typed. */
export function RepayDialog(props: LoanDialogProps) {
  return props.opened && <Repay {...props} />;
}

function Repay({ licence, onClose, onDone }: LoanDialogProps) {
  const { t } = useTranslation('licences');
  const balances = useBalances();
  const debt = debtOf(licence);
  const [value, setValue] = useState(debt);
  const [source, setSource] = useState<'available' | 'topup'>('available');
  const held = { available: balances.available?.balance ?? '0', topup: licence.topup };
  const most = compare(held[source], debt) < 0 ? held[source] : debt;
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.loan.repayTitle, { number: licence.number })}
      facts={[
        { label: t(($) => $.loan.taken), value: <Money value={licence.loanTaken} /> },
        { label: t(($) => $.loan.owed), value: <Money value={debt} digits={6} /> },
      ]}
      consequence={source === 'topup' ? t(($) => $.loan.repayTopup) : t(($) => $.loan.repayConsequence)}
      confirmLabel={t(($) => $.loan.repay)}
      ready={value !== '' && isPositive(value) && compare(value, most) <= 0}
      onConfirm={async ({ idempotencyKey }) => {
        const { transfers, ...after } = await repay({ licence: licence._id, value, source }, idempotencyKey);
        const left = debtOf(after);
        onDone({
          title: isPositive(left) ? t(($) => $.loan.partlyRepaid) : t(($) => $.loan.repaid),
          transfers,
          facts: [{ label: t(($) => $.loan.owed), value: <Money value={left} digits={6} /> }],
        });
      }}
    >
      <Stack gap="sm">
        <Radio.Group
          label={t(($) => $.source)}
          value={source}
          onChange={(next) => setSource(next as 'available' | 'topup')}
        >
          <Stack gap={8} mt={6}>
            {(['available', 'topup'] as const).map((one) => (
              <Radio
                key={one}
                value={one}
                label={
                  <Text span fz="sm">
                    <span>{one === 'available' ? t(($) => $.sources.available) : t(($) => $.ownTopup)}</span>{' '}
                    <Text span c="dimmed" className="num">
                      <Money value={held[one]} />
                    </Text>
                  </Text>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        <MoneyInput label={t(($) => $.value)} value={value} onChange={setValue} max={most} required />
      </Stack>
    </ConfirmDialog>
  );
}
