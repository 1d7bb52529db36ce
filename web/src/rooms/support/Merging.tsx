/** A customer's doubles: staff merge one ticket into another. */
import { Menu, Select } from '@mantine/core';
import { IconArrowMerge } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUEUES } from '@/api/queues';
import { useCan, useUser } from '@/api/session';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import type { Ticket } from './conversation';
import { mergeTicket, useOpenTickets } from './desk';

/** Among what can be done with a ticket. */
export function MergeItem({ ticket, onClick }: { ticket: Ticket; onClick: () => void }) {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  const lists = useCan(QUEUES.tickets.permission);
  // On their own ticket staff are customers; what has doubles is none, and what was merged stays so.
  if (!lists || ticket.user === me || ticket.mergedInto || ticket.doubles) return null;
  return (
    <Menu.Item leftSection={<IconArrowMerge size={16} aria-hidden />} onClick={onClick}>
      {t(($) => $.merge.open)}
    </Menu.Item>
  );
}

interface MergeDialogProps {
  ticket: Ticket;
  opened: boolean;
  onClose: () => void;
  /** It is a double now; the other one goes on. */
  onMerged: (ticket: Ticket, into: string) => void;
}

/** Asks into which of the customer's open tickets: it cannot be undone. */
export function MergeDialog({ ticket, opened, onClose, onMerged }: MergeDialogProps) {
  const { t } = useTranslation('desk');
  const { t: words } = useTranslation('support');
  const [into, setInto] = useState<string | null>(null);
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const open = useOpenTickets(ticket.user, opened);
  const found = open.data?.data ?? [];
  const close = () => {
    setInto(null);
    onClose();
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={close}
      title={t(($) => $.merge.title)}
      facts={[
        { label: words(($) => $.list.number), value: ticket.number },
        { label: words(($) => $.list.subject), value: ticket.subject },
        { label: words(($) => $.list.customer), value: <span translate="no">{ticket.userName}</span> },
      ]}
      consequence={t(($) => $.merge.hint)}
      confirmLabel={t(($) => $.merge.confirm)}
      ready={into !== null}
      order={into ?? ''}
      danger
      onConfirm={async () => {
        if (into === null) return;
        onMerged(await mergeTicket({ id: ticket._id, into }), into);
        toast.success(t(($) => $.merge.done));
        setInto(null);
      }}
    >
      <Select
        label={t(($) => $.merge.into)}
        placeholder={t(($) => $.holder.choose)}
        value={into}
        onChange={setInto}
        data={found
          .filter(({ _id }) => _id !== ticket._id)
          .map(({ _id, number, subject }) => ({
            value: _id,
            label: t(($) => $.merge.choice, { number, subject }),
          }))}
        // That there is none is said only once it is known.
        nothingFoundMessage={open.data ? t(($) => $.merge.nothing) : common(($) => $.loading)}
        error={open.error && !open.data ? errorText(open.error) : undefined}
        searchable
        required
      />
    </ConfirmDialog>
  );
}
