import { Alert, Anchor, Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { QUEUES } from '@/api/queues';
import { useUser } from '@/api/session';
import { inFours } from '@/live/chain/address';
import { explorer } from '@/live/chain/explorer';
import { useTellDeciding } from '@/live/useDeciding';
import { ApprovalEffect } from '@/shared/decisions/ApprovalEffect';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow, useDecisionNotice } from '@/shared/decisions/LastRow';
import { PersonFact } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { CopyText } from '@/ui/CopyText';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { type Graduation, OFFER, payBonus, payWord, rejectBonus, toDo } from './graduations';
import { useWords } from './words';

interface BonusPaymentProps {
  row: Graduation | null;
  /** A colleague who has the same payment open. */
  deciding?: string | undefined;
  onClose: () => void;
}

/** One rank's bonus: who gets how much at which wallet; asked for, agreed to, stopped, and where it stands on the chain. */
export function BonusPayment({ row, deciding, onClose }: BonusPaymentProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => (
        <Payment key={shown._id} row={shown} opened={opened} deciding={deciding} onClose={onClose} />
      )}
    </LastRow>
  );
}

function Payment({
  row,
  opened,
  deciding,
  onClose,
}: BonusPaymentProps & { row: Graduation; opened: boolean }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const own = useUser()?._id === row.user;
  const [dialog, setDialog] = useState<'pay' | 'reject' | null>(null);
  const task = toDo(row);
  const offer = $api.useQuery(
    'get',
    OFFER,
    { params: { path: { id: row._id } } },
    { enabled: opened, retry: false, staleTime: 0 },
  );
  const problem = offer.isError ? asApiError(offer.error) : null;
  useTellDeciding(QUEUES.graduationBonuses, opened && task ? row._id : null);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    setDialog((open) => (task === null || (open === 'pay' && task === 'stop') ? null : open));
  }, [task]);

  const { payment } = row;
  const address = offer.data?.address;
  const network = offer.data && networkName(offer.data.chain);
  const shownNetwork =
    network === undefined
      ? '–'
      : t(($) => $.staff.graduation.pay.network[network], { chain: offer.data?.chain });
  const transaction = payment?.status === 'rejected' ? null : payment?.transaction;
  const link = transaction && offer.data ? explorer(offer.data.chain, transaction) : null;
  const member = { label: t(($) => $.staff.user), value: `${row.fullName} · @${row.username}` };
  const amount = {
    label: t(($) => $.staff.graduation.bonus),
    value: <Money value={row.bonus} digits={6} />,
  };
  const wallet = {
    label: t(($) => $.staff.graduation.pay.wallet),
    value: address ? (
      <Group gap={4} wrap="nowrap">
        <span className="num" translate="no">
          {inFours(address)}
        </span>
        <CopyText value={address} label={t(($) => $.staff.graduation.pay.copyWallet)} />
      </Group>
    ) : (
      '–'
    ),
  };
  const chain = { label: t(($) => $.staff.graduation.pay.on), value: shownNetwork };
  const facts = [
    { label: member.label, value: <PersonFact person={row} /> },
    { label: t(($) => $.rank), value: words.rank(row.rank) },
    { label: t(($) => $.staff.graduation.payment), value: <StatusBadge status={payWord(row)} /> },
    amount,
    wallet,
    chain,
    ...(transaction
      ? [
          {
            label: t(($) => $.staff.graduation.hash),
            value: (
              <Group gap={4} wrap="nowrap">
                {link ? (
                  <Anchor href={link} target="_blank" rel="noreferrer" className="num" fz="sm">
                    {transaction}
                  </Anchor>
                ) : (
                  <span className="num">{transaction}</span>
                )}
                <CopyText value={transaction} label={t(($) => $.staff.graduation.copyHash)} />
              </Group>
            ),
          },
        ]
      : []),
    { label: t(($) => $.staff.graduation.reached), value: <When at={row.created_at} /> },
    ...(row.paidAt
      ? [{ label: t(($) => $.staff.graduation.pay.paidAt), value: <When at={row.paidAt} /> }]
      : []),
    ...(payment?.reason ? [{ label: t(($) => $.staff.graduation.pay.refused), value: payment.reason }] : []),
  ];
  const notice = useDecisionNotice()({
    deciding,
    waits: payment?.status === 'pending',
    given: payment?.approvals ?? 0,
    needed: payment?.approvalsNeeded ?? 0,
    also: [
      payment?.status === 'approved' && t(($) => $.staff.graduation.pay.queued),
      payment?.status === 'sent' && t(($) => $.staff.graduation.pay.sending),
      payment?.status === 'failed' && t(($) => $.staff.graduation.pay.failed),
    ],
  });
  const over = t(($) => $.staff.graduation.pay.over);
  const mayPay =
    task === null || task === 'stop'
      ? over
      : own
        ? t(($) => $.staff.graduation.pay.own)
        : problem
          ? problem.message
          : offer.data
            ? undefined
            : t(($) => $.staff.graduation.pay.asking);
  const mayReject =
    task === 'agree' || task === 'stop'
      ? own
        ? t(($) => $.staff.graduation.pay.own)
        : undefined
      : t(($) => $.staff.graduation.pay.nothing);
  const subject =
    task === 'agree' && payment
      ? ({ kind: 'graduation_bonus', id: payment._id } as const)
      : ({ kind: 'graduation_bonus', customer: row.user, usdt: row.bonus } as const);
  const label =
    task === 'agree' ? t(($) => $.staff.graduation.pay.agree) : t(($) => $.staff.graduation.pay.pay);

  const pay = async (key: string) => {
    const { message, data } = await payBonus(row._id, key);
    onClose();
    toast.success(data.trxHash ? `${message} ${data.trxHash}` : message);
  };
  const reject = async (reason: string, key: string) => {
    const { message } = await rejectBonus({ graduationId: row._id, reason }, key);
    onClose();
    toast.info(message);
  };

  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.staff.graduation.pay.title, { rank: words.rank(row.rank) })}
        facts={facts}
        notice={notice}
        word={payment && payment.approvals > 0 && !own ? { kind: 'graduation_bonus', id: payment._id } : null}
        approve={{
          label,
          allowed: mayPay === undefined,
          reason: mayPay,
          onClick: () => setDialog('pay'),
        }}
        reject={{
          label: t(($) => $.staff.graduation.pay.reject),
          allowed: mayReject === undefined,
          reason: mayReject,
          onClick: () => setDialog('reject'),
        }}
      >
        {problem && task !== null && (
          <Alert color="red" variant="light" role="alert">
            {problem.message}
          </Alert>
        )}
      </DecisionDrawer>
      <ConfirmDialog
        opened={dialog === 'pay'}
        onClose={() => setDialog(null)}
        title={t(($) => $.staff.graduation.pay.question)}
        facts={[
          member,
          amount,
          {
            label: wallet.label,
            value: address && (
              <span className="num" translate="no">
                {inFours(address)}
              </span>
            ),
          },
          chain,
        ]}
        consequence={
          <ApprovalEffect
            subject={dialog === 'pay' ? subject : null}
            once={t(($) => $.staff.graduation.pay.once)}
          />
        }
        confirmLabel={label}
        danger
        onConfirm={({ idempotencyKey: key }) => pay(key)}
      />
      <ConfirmDialog
        opened={dialog === 'reject'}
        onClose={() => setDialog(null)}
        title={t(($) => $.staff.graduation.pay.rejectQuestion)}
        facts={[member, amount]}
        consequence={t(($) => $.staff.graduation.pay.rejectHint)}
        reason={{ label: t(($) => $.staff.graduation.pay.reason), required: true }}
        confirmLabel={t(($) => $.staff.graduation.pay.reject)}
        danger
        onConfirm={({ idempotencyKey: key, reason }) => reject(reason, key)}
      />
    </>
  );
}

/** A chain by its number. */
const networkName = (chain: number): 'bsc' | 'testnet' | 'other' =>
  chain === 56 ? 'bsc' : chain === 97 ? 'testnet' : 'other';
