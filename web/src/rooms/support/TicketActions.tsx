import { ActionIcon, Menu, Text, Textarea } from '@mantine/core';
import {
  IconBell,
  IconBellOff,
  IconDots,
  IconLock,
  IconMail,
  IconMailForward,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mute, useAlerts } from '@/shared/support/alerts';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { closeTicket, deleteTicket, MAX_TEXT, mailTranscript, sendMail } from './api';
import type { Side, Ticket } from './conversation';

type Question = 'close' | 'delete' | 'email' | 'transcript' | null;

interface TicketActionsProps {
  ticket: Ticket;
  side: Side;
  onChanged: (ticket: Ticket) => void;
  onDeleted?: () => void;
  /** What staff alone can do besides: drawn by who has its texts. */
  controls?: ReactNode;
}

/** For who is told of messages in this browser: not of this one's. */
function MuteItem({ ticket }: { ticket: string }) {
  const { t } = useTranslation('support');
  const { sound, banner, muted } = useAlerts();
  const off = muted.includes(ticket);
  if (!sound && !banner) return null;
  const Icon = off ? IconBell : IconBellOff;
  return (
    <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={() => mute(ticket, !off)}>
      {off ? t(($) => $.actions.unmute) : t(($) => $.actions.mute)}
    </Menu.Item>
  );
}

/** What can be done with a ticket besides answering it; nothing of it without a question first. */
export function TicketActions({ ticket, side, onChanged, onDeleted, controls }: TicketActionsProps) {
  const { t } = useTranslation('support');
  const [question, setQuestion] = useState<Question>(null);
  const [text, setText] = useState('');
  const close = () => setQuestion(null);
  const facts = [
    { label: t(($) => $.list.number), value: ticket.number },
    { label: t(($) => $.list.subject), value: ticket.subject },
  ];
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t(($) => $.actions.more)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {ticket.status === 'open' && (
            <Menu.Item leftSection={<IconLock size={16} aria-hidden />} onClick={() => setQuestion('close')}>
              {t(($) => $.actions.close)}
            </Menu.Item>
          )}
          {side === 'staff' && (
            <>
              {/* What was merged takes no more words. */}
              {!ticket.mergedInto && (
                <Menu.Item
                  leftSection={<IconMail size={16} aria-hidden />}
                  onClick={() => {
                    setText('');
                    setQuestion('email');
                  }}
                >
                  {t(($) => $.actions.email)}
                </Menu.Item>
              )}
              {controls}
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => setQuestion('delete')}
              >
                {t(($) => $.actions.delete)}
              </Menu.Item>
            </>
          )}
          {side === 'customer' && (
            <Menu.Item
              leftSection={<IconMailForward size={16} aria-hidden />}
              onClick={() => setQuestion('transcript')}
            >
              {t(($) => $.actions.transcript)}
            </Menu.Item>
          )}
          <MuteItem ticket={ticket._id} />
          {side === 'customer' && ticket.status === 'closed' && (
            <Menu.Item disabled leftSection={<IconLock size={16} aria-hidden />}>
              {t(($) => $.actions.closed)}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={question === 'close'}
        onClose={close}
        title={t(($) => $.actions.closeTitle)}
        facts={facts}
        consequence={t(($) => $.actions.closeHint)}
        confirmLabel={t(($) => $.actions.close)}
        onConfirm={async () => {
          onChanged(await closeTicket(ticket._id));
          toast.success(t(($) => $.actions.closed));
        }}
      />
      <ConfirmDialog
        opened={question === 'transcript'}
        onClose={close}
        title={t(($) => $.actions.transcriptTitle)}
        facts={facts}
        consequence={t(($) => $.actions.transcriptHint)}
        confirmLabel={t(($) => $.actions.transcriptSend)}
        onConfirm={async () => {
          const { sentTo } = await mailTranscript(ticket._id);
          toast.success(t(($) => $.actions.transcriptSent, { address: sentTo }));
        }}
      />
      <ConfirmDialog
        opened={question === 'delete'}
        onClose={close}
        title={t(($) => $.actions.deleteTitle)}
        facts={[...facts, { label: t(($) => $.list.customer), value: ticket.userName }]}
        consequence={t(($) => $.actions.deleteHint)}
        confirmLabel={t(($) => $.actions.delete)}
        danger
        onConfirm={async () => {
          await deleteTicket(ticket._id);
          toast.success(t(($) => $.actions.deleted));
          onDeleted?.();
        }}
      />
      <ConfirmDialog
        opened={question === 'email'}
        onClose={close}
        title={t(($) => $.actions.emailTitle)}
        confirmLabel={t(($) => $.actions.email)}
        order={text}
        ready={text.trim() !== '' && text.length <= MAX_TEXT}
        onConfirm={async ({ idempotencyKey }) => {
          onChanged((await sendMail({ ticketId: ticket._id, text }, idempotencyKey)).ticket);
          toast.success(t(($) => $.actions.emailSent));
        }}
      >
        <Text fz="sm" c="dimmed">
          {t(($) => $.actions.emailHint)}
        </Text>
        <Textarea
          label={t(($) => $.actions.emailText)}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={12}
          maxLength={MAX_TEXT}
          required
        />
      </ConfirmDialog>
    </>
  );
}
