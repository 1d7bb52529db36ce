/** A customer's doubles: one ticket is merged into another. */
import { Anchor, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { pathOf, type Side, type Ticket } from './conversation';
import { mergeTicket, useOpenTickets } from './desk';

/** Where one goes on, above a conversation that is over. */
export function MergedInto({ ticket, side }: { ticket: Ticket; side: Side }) {
  const { t } = useTranslation('support');
  const into = ticket.mergedInto;
  if (!into) return null;
  return (
    <Group gap={8} role="note" data-testid="merged-into">
      <Text fz="sm" c="dimmed">
        {t(($) => $.double.over)}
      </Text>
      <Anchor component={Link} to={pathOf(side, into._id)} fz="sm" fw={600}>
        {t(($) => $.double.into, { number: into.number })}
      </Anchor>
    </Group>
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
  const found = useOpenTickets(ticket.user, opened).data?.data ?? [];
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
        nothingFoundMessage={t(($) => $.merge.nothing)}
        searchable
        required
      />
    </ConfirmDialog>
  );
}
