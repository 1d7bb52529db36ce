import { Anchor } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useUser } from '@/api/session';
import { DecisionDrawer } from '@/shared/decisions/DecisionDrawer';
import { LastRow } from '@/shared/decisions/LastRow';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { type Case, decideCase, isDecidedHere, screenOf } from './cases';

interface CaseDrawerProps {
  row: Case | null;
  onClose: () => void;
}

/** One case: who, what moved, what made the rules speak; clear or refuse, or go to where it is decided. */
export function CaseDrawer({ row, onClose }: CaseDrawerProps) {
  return (
    <LastRow row={row}>
      {(shown, opened) => <Opened key={shown._id} row={shown} opened={opened} onClose={onClose} />}
    </LastRow>
  );
}

function Opened({ row, opened, onClose }: { row: Case; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('compliance');
  const format = useFormat();
  const user = useUser();
  const own = user?._id === row.user || user?.username === row.counterparty;
  const here = isDecidedHere(row);
  const [dialog, setDialog] = useState<'clear' | 'refuse' | null>(null);
  /** What it was worth when the dialog was opened: more may come to a bonus meanwhile. */
  const [seen, setSeen] = useState(row.value);
  // Decided elsewhere: a dialog that could only be refused closes.
  useEffect(() => {
    if (!here) setDialog(null);
  }, [here]);
  const decide = async (cleared: boolean, note: string) => {
    const { response } = await decideCase({ id: row._id, cleared, value: seen, ...(note && { note }) });
    onClose();
    // A held bonus above the limit waits for a second person.
    if (response.status === 202) toast.info(t(($) => $.clear.half));
    else toast.success(cleared ? t(($) => $.clear.done) : t(($) => $.refuse.done));
  };
  const screen = screenOf(row);
  const blocked =
    row.status !== 'open'
      ? t(($) => $.over)
      : !here
        ? t(($) => $.elsewhere)
        : own
          ? t(($) => $.own)
          : undefined;
  const movement = [
    { label: t(($) => $.movement), value: t(($) => $.flow[row.flow as 'transfer']) },
    { label: t(($) => $.value), value: <Money value={row.value} digits={6} /> },
  ];
  const facts = [
    { label: t(($) => $.user), value: <MemberName username={row.username} /> },
    ...(row.counterparty
      ? [{ label: t(($) => $.other), value: <MemberName username={row.counterparty} /> }]
      : []),
    ...movement,
  ];
  return (
    <>
      <DecisionDrawer
        opened={opened}
        onClose={onClose}
        title={t(($) => $.drawer, { amount: format.usdt(row.value) })}
        facts={[
          { label: t(($) => $.user), value: <PersonHandle id={row.user} username={row.username} /> },
          ...(row.counterparty
            ? [{ label: t(($) => $.other), value: <PersonHandle username={row.counterparty} /> }]
            : []),
          ...movement,
          { label: t(($) => $.opened), value: <When at={row.openedAt} /> },
          { label: t(($) => $.status), value: <StatusBadge status={row.status} /> },
          ...(row.decidedAt ? [{ label: t(($) => $.decided), value: <When at={row.decidedAt} /> }] : []),
          ...(row.decidedBy
            ? [{ label: t(($) => $.by), value: <PersonHandle username={row.decidedBy} /> }]
            : []),
          ...(row.agreedBy
            ? [{ label: t(($) => $.clear.first), value: <PersonHandle username={row.agreedBy} /> }]
            : []),
          ...(row.note ? [{ label: t(($) => $.note), value: row.note }] : []),
          ...(screen && row.status === 'open'
            ? [
                {
                  label: t(($) => $.waits),
                  value: (
                    <Anchor component={Link} to={screen} fz="sm">
                      {here ? t(($) => $.see) : t(($) => $.decideThere)}
                    </Anchor>
                  ),
                },
              ]
            : []),
        ]}
        signals={row.reasons.map((name) => t(($) => $.explained[name as 'amount']))}
        effect={row.status === 'open' && row.waits === 'pix_deposit' ? t(($) => $.pixWaits) : undefined}
        approve={{
          label: t(($) => $.clear.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => {
            setSeen(row.value);
            setDialog('clear');
          },
        }}
        reject={{
          label: t(($) => $.refuse.label),
          allowed: blocked === undefined,
          reason: blocked,
          onClick: () => {
            setSeen(row.value);
            setDialog('refuse');
          },
        }}
        word={row.status === 'open' && row.agreedBy ? { kind: 'held_bonus', id: row._id } : null}
      />
      <ConfirmDialog
        opened={dialog === 'clear'}
        onClose={() => setDialog(null)}
        title={t(($) => $.clear.title)}
        facts={facts}
        consequence={row.waits === 'pix_deposit' ? t(($) => $.clear.pix) : t(($) => $.clear.consequence)}
        reason={{ label: t(($) => $.clear.note) }}
        confirmLabel={t(($) => $.clear.label)}
        onConfirm={({ reason }) => decide(true, reason)}
      />
      <ConfirmDialog
        opened={dialog === 'refuse'}
        onClose={() => setDialog(null)}
        title={t(($) => $.refuse.title)}
        facts={facts}
        consequence={row.waits === 'pix_deposit' ? t(($) => $.refuse.pix) : t(($) => $.refuse.consequence)}
        reason={{ label: t(($) => $.refuse.note), required: true }}
        confirmLabel={t(($) => $.refuse.label)}
        danger
        onConfirm={({ reason }) => decide(false, reason)}
      />
    </>
  );
}
