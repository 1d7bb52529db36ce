import { Stack, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { came, currencyOf, fromWei } from '@/live/chain/deposits';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect, useApprovalPreview } from '@/shared/decisions/ApprovalEffect';
import { CaseNotice } from '@/shared/decisions/CaseNotice';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { MemberName } from '@/shared/network/MemberName';
import { Outcome } from '@/shared/payments/Outcome';
import { PersonFact } from '@/shared/people/PersonCell';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive, multiply, tidy } from '@/ui/money';
import { toast } from '@/ui/toast';
import { depositFacts } from './DepositDetails';
import { decideDeposit, type QueueRow } from './queue';

interface DecisionProps {
  row: QueueRow | null;
  /** A colleague who has the same decision open. */
  deciding?: string | undefined;
  onClose: () => void;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** One deposit: what came, why it waits, approve or reject. */
export function Decision({ row, deciding, onClose }: DecisionProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => (
        <Deciding key={shown._id} row={shown} opened={opened} deciding={deciding} onClose={onClose} />
      )}
    </LastRow>
  );
}

function Deciding({ row, opened, deciding, onClose }: DecisionProps & { row: QueueRow; opened: boolean }) {
  const { t } = useTranslation('wallet');
  const format = useFormat();
  const own = useUser()?._id === row.user;
  const waits = row.status === 'pending_approval';
  // Nobody needs to say what USDT is worth; of other coins the market's word is offered.
  const asks = waits && row.coin !== 'usdt' && row.coin !== null;
  const [worth, setWorth] = useState(() =>
    asks && row.rateNow ? multiply(came(row), row.rateNow, 6, 'down') : '',
  );
  const [refund, setRefund] = useState('');
  const [dialog, setDialog] = useState<'approve' | 'reject' | null>(null);
  const [checked, setChecked] = useState(false);
  useTellDeciding(QUEUES.cryptoDeposits, opened && waits ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    if (!waits) setDialog(null);
  }, [waits]);
  const worthOk = !asks || (worth !== '' && isPositive(worth));
  const refundOk = refund === '' || HASH.test(refund);
  const blocked = own ? t(($) => $.queue.own) : waits ? undefined : t(($) => $.queue.decided);
  // What nobody can credit is given back.
  const onlyReject =
    row.coin === null
      ? t(($) => $.queue.onlyReject)
      : row.pendingCause === 'closed'
        ? t(($) => $.cause.closed)
        : undefined;
  const decide = async (
    order: { status: 'approved'; value?: string } | { status: 'rejected'; reason: string; refund?: string },
    key: string,
  ) => {
    const decided = await decideDeposit({ id: row._id, ...order }, key);
    toast.success(
      t(
        ($) =>
          $.queue[
            decided.status === 'approved' ? 'approved' : decided.status === 'rejected' ? 'rejected' : 'first'
          ],
      ),
    );
    if (decided.status !== 'pending_approval') onClose();
  };
  const subject =
    worthOk && onlyReject === undefined
      ? ({ kind: 'crypto_deposit', id: row._id, ...(asks && { usdt: worth }) } as const)
      : null;
  useApprovalPreview(opened && waits && !own ? subject : null);
  const amount = `${format.decimal(came(row), row.coin === 'bnb' ? 8 : 4)} ${row.coin ? currencyOf(row.coin) : ''}`;
  const facts = depositFacts(row, t).map(([label, value]) => ({ label, value }));
  const { price } = row;
  // Exactly what an intent asks for buys it; anything else goes to the balance.
  const agreed = row.due && compare(fromWei(row.received), fromWei(row.due)) === 0;
  const hint =
    price &&
    (agreed
      ? t(($) => $.queue.approveAgreed, {
          value: format.exact(tidy(row.value ?? '0', 2)),
          costs: format.exact(tidy(price.costs ?? '0', 2)),
        })
      : t(($) => $.queue.approveHint, {
          fee: format.exact(tidy(price.fee)),
          percent: format.exact(tidy(price.feePercent)),
        }));
  const notice = useDecisionNotice()({
    deciding,
    waits,
    given: row.approvals,
    needed: row.approvalsNeeded,
  });
  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.queue.drawer, { amount })}
        facts={[
          { label: t(($) => $.queue.user), value: <PersonFact person={row} /> },
          { label: t(($) => $.queue.before), value: String(row.creditedBefore) },
          ...facts,
        ]}
        evidence={
          <Stack gap="md">
            <Outcome deposit={row} />
            <CaseNotice note={row.case} />
            {asks && (
              <MoneyInput
                label={t(($) => $.queue.worth)}
                description={t(($) => $.queue.worthHint)}
                value={worth}
                onChange={setWorth}
                error={checked && !worthOk ? t(($) => $.queue.worthMissing) : undefined}
                required
              />
            )}
          </Stack>
        }
        notice={notice}
        word={waits && !own && row.approvals > 0 ? subject : null}
        approve={{
          label: t(($) => $.queue.approve),
          allowed: blocked === undefined && onlyReject === undefined,
          reason: blocked ?? onlyReject,
          onClick: () => {
            setChecked(true);
            if (worthOk) setDialog('approve');
          },
        }}
        reject={{
          label: t(($) => $.queue.reject),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => setDialog('reject'),
        }}
      />
      <ConfirmDialog
        opened={dialog === 'approve'}
        onClose={() => setDialog(null)}
        title={t(($) => $.queue.approveTitle)}
        facts={[
          { label: t(($) => $.queue.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.details.came), value: amount },
          ...(asks ? [{ label: t(($) => $.queue.worth), value: <Money value={worth} digits={6} /> }] : []),
        ]}
        consequence={<ApprovalEffect subject={subject} once={hint} />}
        confirmLabel={t(($) => $.queue.approve)}
        onConfirm={({ idempotencyKey }) =>
          decide({ status: 'approved', ...(asks && { value: worth }) }, idempotencyKey)
        }
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={t(($) => $.queue.rejectTitle)}
        facts={[
          { label: t(($) => $.queue.user), value: <MemberName username={row.username} /> },
          { label: t(($) => $.details.came), value: amount },
        ]}
        consequence={t(($) => $.queue.rejectHint)}
        reason={{ label: t(($) => $.queue.reason), required: refund === '' }}
        ready={refundOk}
        confirmLabel={t(($) => $.queue.reject)}
        danger
        onConfirm={({ idempotencyKey, reason }) =>
          decide({ status: 'rejected', reason, ...(refund && { refund }) }, idempotencyKey)
        }
      >
        <TextInput
          label={t(($) => $.queue.refund)}
          value={refund}
          onChange={(event) => setRefund(event.currentTarget.value.trim())}
          error={refundOk ? undefined : t(($) => $.queue.refundBad)}
          maxLength={66}
          autoComplete="off"
          spellCheck={false}
        />
      </ConfirmDialog>
    </>
  );
}
