import { Button, Menu, Select, Text } from '@mantine/core';
import { IconArrowForwardUp, IconChevronDown, IconHandStop, IconUserCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { useLiveEvent } from '@/live/live';
import { DESK_FACT } from '@/shared/support/tickets';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { usePress } from '@/ui/usePress';
import { When } from '@/ui/When';
import type { Ticket } from './conversation';
import { type Desk, handOver, letGo, takeTicket, useAgents } from './desk';

/** Who has a ticket, in a list; nothing where nobody has it. */
export function HolderLine({ desk }: { desk: Desk }) {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  const holder = desk.takenBy;
  if (!holder) return null;
  const mine = holder._id === me;
  return (
    <Text fz="xs" fw={mine ? 600 : undefined} c={mine ? undefined : 'dimmed'} truncate maw={160}>
      {mine ? t(($) => $.holder.withYou) : t(($) => $.holder.with, { name: holder.name })}
    </Text>
  );
}

/** Says so when a colleague hands one over to who is looking at the desk. */
export function useToldOfHandovers() {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  useLiveEvent(DESK_FACT, ({ desk, handedBy }) => {
    if (handedBy && desk.takenBy?._id === me) toast.info(t(($) => $.holder.handed, { name: handedBy }));
  });
}

type Question = 'take' | 'hand' | null;

/** Who has the ticket that is open, and what can be done about it. */
export function Holder({ ticket, desk }: { ticket: Ticket; desk: Desk }) {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  const [question, setQuestion] = useState<Question>(null);
  const take = usePress(takeTicket);
  const free = usePress(letGo, () => toast.success(t(($) => $.holder.freed)));
  const id = ticket._id;
  const holder = desk.takenBy;
  const mine = holder?._id === me;
  const open = ticket.status === 'open';
  // On their own ticket staff are customers.
  const own = ticket.user === me;
  const name = holder?.name ?? '';
  const close = () => setQuestion(null);
  if (!holder)
    return own || !open ? null : (
      <GuardedButton
        allowed
        size="sm"
        variant="default"
        leftSection={<IconUserCheck size={16} aria-hidden />}
        loading={take.busy}
        onClick={() => void take.run({ id, from: null })}
      >
        {t(($) => $.holder.take)}
      </GuardedButton>
    );
  const label = mine ? t(($) => $.holder.withYou) : t(($) => $.holder.with, { name });
  if (own || (!open && !mine))
    return (
      <Text fz="sm" c="dimmed">
        {label}
      </Text>
    );
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button
            size="sm"
            variant="default"
            leftSection={<IconUserCheck size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mine && open && (
            <Menu.Item
              leftSection={<IconArrowForwardUp size={16} aria-hidden />}
              onClick={() => setQuestion('hand')}
            >
              {t(($) => $.holder.handOver)}
            </Menu.Item>
          )}
          {mine && (
            <Menu.Item leftSection={<IconHandStop size={16} aria-hidden />} onClick={() => void free.run(id)}>
              {t(($) => $.holder.letGo)}
            </Menu.Item>
          )}
          {!mine && (
            <Menu.Item
              leftSection={<IconUserCheck size={16} aria-hidden />}
              onClick={() => setQuestion('take')}
            >
              {t(($) => $.holder.takeOver)}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={question === 'take'}
        onClose={close}
        title={t(($) => $.holder.takeOverTitle)}
        facts={[
          { label: t(($) => $.holder.now), value: <span translate="no">{name}</span> },
          ...(desk.takenAt
            ? [{ label: t(($) => $.holder.since), value: <When at={desk.takenAt} relative /> }]
            : []),
        ]}
        consequence={t(($) => $.holder.takeOverHint)}
        confirmLabel={t(($) => $.holder.take)}
        order={holder._id}
        saves
        onConfirm={() => takeTicket({ id, from: holder._id })}
      />
      <HandOver opened={question === 'hand'} onClose={close} ticket={ticket} />
    </>
  );
}

function HandOver({ opened, onClose, ticket }: { opened: boolean; onClose: () => void; ticket: Ticket }) {
  const { t } = useTranslation('desk');
  const me = useUser()?._id;
  const [to, setTo] = useState<string | null>(null);
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const answering = useAgents(opened);
  const agents = answering.data?.data ?? [];
  const others = agents.filter(({ _id, answers }) => answers && _id !== me && _id !== ticket.user);
  return (
    <ConfirmDialog
      opened={opened}
      onClose={() => {
        setTo(null);
        onClose();
      }}
      title={t(($) => $.holder.handOver)}
      consequence={t(($) => $.holder.handOverHint)}
      confirmLabel={t(($) => $.holder.handOver)}
      ready={to !== null}
      order={to ?? ''}
      saves
      onConfirm={async () => {
        if (to !== null) await handOver({ id: ticket._id, to });
        toast.success(t(($) => $.holder.handedOver));
        setTo(null);
      }}
    >
      <Select
        label={t(($) => $.holder.to)}
        placeholder={t(($) => $.holder.choose)}
        value={to}
        onChange={setTo}
        data={others.map(({ _id, name, open }) => ({
          value: _id,
          label: t(($) => $.holder.load, { name, count: open }),
        }))}
        nothingFoundMessage={answering.data ? t(($) => $.holder.nobodyElse) : common(($) => $.loading)}
        error={answering.error && !answering.data ? errorText(answering.error) : undefined}
        searchable
        required
      />
    </ConfirmDialog>
  );
}
