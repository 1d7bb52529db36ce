import { Button, Center, Loader } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { Fragment, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { useFormat } from '@/ui/format';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useNow } from '@/ui/useNow';
import { usePress } from '@/ui/usePress';
import { REOPEN_MS } from './api';
import classes from './ChatPanel.module.css';
import { type CannedParts, Composer } from './Composer';
import type { Side, Ticket } from './conversation';
import { DoubleItem } from './DoubleItem';
import type { Note } from './desk';
import { MessageItem, PendingItem } from './MessageItem';
import { timeline, writtenAt } from './timeline';
import type { LiveConversation } from './useConversation';
import { useEnd } from './useEnd';
import { useReadMark } from './useReadMark';

interface ChatPanelProps {
  conversation: LiveConversation;
  ticket: Ticket;
  side: Side;
  /** What staff see and do beside the conversation. */
  desk?: DeskParts;
}

/** Drawn by who has them: what is staff's alone, with its texts, does not come to customers. */
interface DeskParts {
  notes: readonly Note[];
  note: (note: Note) => ReactNode;
  canned: CannedParts | null;
  /** Said above the field. */
  hint: string | null;
  /** What stands around the field. */
  foot: (reply: ReactNode) => ReactNode;
}

const NO_NOTES: readonly Note[] = [];

/** A ticket's conversation, live: who is here, the messages, the field to write in. */
export function ChatPanel({ conversation, ticket, side, desk }: ChatPanelProps) {
  const { t } = useTranslation('support');
  const errorText = useErrorText();
  const { now } = conversation;
  const log = useRef<HTMLDivElement>(null);
  const last = now.messages.at(-1)?.number ?? 0;
  const notes = desk?.notes ?? NO_NOTES;
  const end = useEnd(log, now.messages[0]?.number, last, now.pending.length + notes.length);
  useReadMark(ticket, side, last, end.atBottom);
  const send = (text: string, file: File | null) => {
    end.toEnd();
    void conversation.send(text, file).catch((error) => toast.danger(errorText(error)));
  };
  const { locked, hint } = useClosed(ticket, side);
  const reply = (
    <Composer
      ticket={ticket._id}
      locked={locked}
      hint={hint ?? desk?.hint ?? null}
      onSend={send}
      canned={desk?.canned ?? null}
    />
  );
  const controls = desk ? desk.foot(reply) : reply;
  return (
    <div className={classes.panel}>
      <People people={conversation.people} side={side} />
      <div className={classes.frame}>
        <div
          ref={log}
          className={classes.log}
          role="log"
          aria-live="polite"
          aria-relevant="additions"
          aria-label={t(($) => $.chat.label, { number: ticket.number })}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          onScroll={end.onScroll}
        >
          <Older conversation={conversation} />
          <Messages conversation={conversation} ticket={ticket} side={side} notes={notes} note={desk?.note} />
          {now.pending.map((pending) => (
            <PendingItem key={pending.clientId} pending={pending} conversation={conversation} />
          ))}
        </div>
        {!end.atBottom && (
          <Button
            className={classes.pill}
            radius="xl"
            size="compact-md"
            onClick={end.toEnd}
            leftSection={<IconArrowDown size={15} aria-hidden />}
          >
            {end.below > 0 ? t(($) => $.chat.newBelow, { count: end.below }) : t(($) => $.chat.down)}
          </Button>
        )}
      </div>
      {controls}
    </div>
  );
}

/** Whether and why a closed ticket cannot be written in; its customer may open it again for a week. */
function useClosed(ticket: Ticket, side: Side): { locked: string | null; hint: string | null } {
  const { t } = useTranslation('support');
  const { date } = useFormat();
  const nowMs = useNow(30_000);
  if (ticket.status !== 'closed') return { locked: null, hint: null };
  if (ticket.mergedInto)
    return { locked: t(($) => $.double.locked, { number: ticket.mergedInto.number }), hint: null };
  if (side === 'staff') return { locked: t(($) => $.chat.closedStaff), hint: null };
  const until = Date.parse(ticket.closedAt ?? '') + REOPEN_MS;
  return nowMs < until
    ? { locked: null, hint: t(($) => $.chat.closedHint, { date: date(new Date(until)) }) }
    : { locked: t(($) => $.chat.closedForGood), hint: null };
}

function People({ people, side }: { people: LiveConversation['people']; side: Side }) {
  const { t } = useTranslation('support');
  const { present, typing } = people;
  const short = (name: string) => name.split(' ')[0] ?? name;
  const names = (list: readonly string[]) => list.map(short).join(', ');
  const staff = present.filter((person) => person.staff).map(({ name }) => name);
  const customers = present.filter((person) => !person.staff).map(({ name }) => name);
  const words = [
    ...(typing.length > 0 ? [t(($) => $.chat.typing, { count: typing.length, names: names(typing) })] : []),
    ...(staff.length > 0 && typing.length === 0
      ? [t(($) => $.chat.answering, { count: staff.length, names: names(staff) })]
      : []),
    ...(side === 'staff' && customers.length > 0 && typing.length === 0
      ? [t(($) => $.chat.here, { names: names(customers) })]
      : []),
  ];
  return (
    <div className={classes.people} data-testid="people">
      {present.length > 0 && <span className={classes.dot} aria-hidden />}
      <span>{words.length > 0 ? words.join(' · ') : t(($) => $.chat.alone)}</span>
    </div>
  );
}

function Older({ conversation }: { conversation: LiveConversation }) {
  const { t } = useTranslation('support');
  const { busy, run: load } = usePress(() => conversation.loadOlder());
  if (!conversation.hasOlder) return null;
  return (
    <Center pb={6}>
      <Button variant="subtle" size="compact-sm" onClick={() => void load(null)} disabled={busy}>
        {busy ? <Loader size={14} mr={8} aria-hidden /> : null}
        <span>{busy ? t(($) => $.chat.loadingOlder) : t(($) => $.chat.older)}</span>
      </Button>
    </Center>
  );
}

interface MessagesProps extends Omit<ChatPanelProps, 'desk'> {
  notes: readonly Note[];
  note: DeskParts['note'] | undefined;
}

function Messages({ conversation, ticket, side, notes, note }: MessagesProps) {
  const { t } = useTranslation('support');
  const me = useUser()?._id;
  const nowMs = useNow(20_000);
  const day = useDayName();
  const { messages } = conversation.now;
  // Where reading went on when the ticket was opened: a line that does not move while one reads.
  const firstUnread = useRef<{ ticket: string; number: number | null }>({ ticket: '', number: null });
  if (messages.length > 0 && firstUnread.current.ticket !== ticket._id) {
    const mark = side === 'customer' ? ticket.readByCustomer : ticket.readByStaff;
    const unread = messages.find((message) => message.number > mark && message.author !== me);
    firstUnread.current = { ticket: ticket._id, number: mark > 0 ? (unread?.number ?? null) : null };
  }
  const theirMark = side === 'customer' ? ticket.readByStaff : ticket.readByCustomer;
  const lastMine = messages.findLast((message) => message.author === me)?.number;
  const entries = timeline(messages, notes, conversation.hasOlder, conversation.query.data?.merged);
  return entries.map((entry, index) => {
    const before = entries[index - 1];
    const today = day(writtenAt(entry));
    const newDay = before === undefined || day(writtenAt(before)) !== today;
    const above = newDay && <div className={classes.divider}>{today}</div>;
    if (entry.kind === 'note') {
      const line = note?.(entry.note);
      return (
        <Fragment key={entry.note._id}>
          {above}
          {line}
        </Fragment>
      );
    }
    if (entry.kind === 'double')
      return (
        <Fragment key={entry.message._id}>
          {above}
          <DoubleItem message={entry.message} from={entry.from} side={side} />
        </Fragment>
      );
    const { message } = entry;
    const unread = firstUnread.current.number === message.number;
    const sameAuthor = before?.kind === 'message' && before.message.author === message.author;
    return (
      <Fragment key={message.number}>
        {above}
        {unread && (
          <div className={classes.divider} data-unread>
            {t(($) => $.chat.unread)}
          </div>
        )}
        <MessageItem
          message={message}
          mine={message.author === me}
          first={newDay || unread || !sameAuthor}
          mark={message.number === lastMine ? (theirMark >= message.number ? 'seen' : 'sent') : null}
          nowMs={nowMs}
          upload={conversation.uploads.get(message._id)}
          conversation={conversation}
        />
      </Fragment>
    );
  });
}

function useDayName(): (at: string) => string {
  const { t } = useTranslation('support');
  const { date } = useFormat();
  const today = date(new Date());
  const yesterday = date(new Date(Date.now() - 86_400_000));
  return (at) => {
    const name = date(at);
    return name === today ? t(($) => $.chat.today) : name === yesterday ? t(($) => $.chat.yesterday) : name;
  };
}
