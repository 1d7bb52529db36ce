import { Button, Loader } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { DAY_MS } from '@/api/clock';
import { useUser } from '@/api/session';
import { formatDate, useFormat } from '@/ui/format';
import { useNow } from '@/ui/useNow';
import { REOPEN_MS } from './api';
import classes from './ChatPanel.module.css';
import { SearchField, SearchResults } from './ChatSearch';
import { type CannedParts, Composer } from './Composer';
import { firstUnread, type Side, type Ticket } from './conversation';
import { DoubleItem, EarlierItem } from './DoubleItem';
import type { Note } from './desk';
import { MessageItem, PendingItem } from './MessageItem';
import { type Row, rowsOf } from './rows';
import { timeline } from './timeline';
import type { LiveConversation } from './useConversation';
import { type Found, useFound } from './useFound';
import { useLog } from './useLog';
import { useOlder } from './useOlder';
import { useReadMark } from './useReadMark';

interface ChatPanelProps {
  conversation: LiveConversation;
  ticket: Ticket;
  side: Side;
  /** What staff see and do beside the conversation. */
  desk?: DeskParts;
  /** What scrolls, for who leads somebody there. */
  log?: RefObject<HTMLDivElement | null>;
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
export function ChatPanel({ conversation, ticket, side, desk, log: given }: ChatPanelProps) {
  const { t } = useTranslation('support');
  const own = useRef<HTMLDivElement>(null);
  const log = given ?? own;
  const { messages } = conversation.now;
  const last = messages.at(-1)?.number ?? 0;
  const { older, load, near } = useOlder(conversation.hasOlder, conversation.loadOlder);
  const rows = useRows(conversation, ticket, side, desk?.notes ?? NO_NOTES);
  const { held, edited, edit, ...focus } = useHeld();
  const view = useLog({ box: log, rows, last, held, onBeginning: near });
  useReadMark(ticket, side, last, view.atBottom);
  const goTo = async (number: number) => {
    if (number < 1 || number > last) return;
    const here = (messages[0]?.number ?? 1) <= number || (await load(number));
    if (here) view.seek(number);
  };
  const found = useFound(ticket._id, side, (number) => void goTo(number));
  // A message that was found elsewhere leads here.
  const asked = Number(useSearchParams()[0].get('message') ?? 0);
  const led = useEffectEvent(goTo);
  useEffect(() => {
    if (Number.isSafeInteger(asked)) void led(asked);
  }, [asked]);
  const send = (text: string, file: File | null) => {
    view.toEnd();
    conversation.send(text, file);
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
  const draw = useDrawn(conversation, ticket, side, desk?.note, found);
  return (
    <div className={classes.panel}>
      <div className={classes.people}>
        <People people={conversation.people} side={side} />
        <SearchField found={found} onLeave={() => log.current?.focus()} />
      </div>
      <SearchResults found={found} />
      <div className={classes.frame}>
        <div
          ref={log}
          className={classes.log}
          role="log"
          // Further up, rows come and go with the reader and are no news.
          aria-live={view.atBottom ? 'polite' : 'off'}
          aria-relevant="additions"
          aria-busy={older === 'coming'}
          aria-label={t(($) => $.chat.label, { number: ticket.number })}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          onScroll={view.onScroll}
          onKeyDown={(event) => {
            if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey)
              return;
            if (event.key === 'Home') void load(1).then((here) => here && view.seek(1));
            else if (event.key === 'End') view.toEnd();
            else return;
            event.preventDefault();
          }}
          {...focus}
        >
          <div className={classes.sizer} style={{ height: view.total }}>
            {view.items.map(({ index, start }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <div
                  key={row.key}
                  ref={view.measure}
                  data-index={index}
                  data-key={row.key}
                  data-marked={(row.kind === 'message' && row.message.number === view.marked) || undefined}
                  className={classes.item}
                  style={{ top: start }}
                >
                  {draw(row, edited.has(row.key), (editing) => edit(row.key, editing))}
                </div>
              );
            })}
          </div>
        </div>
        <Older older={older} onAgain={() => void load()} />
        {!view.atBottom && (
          <Button
            className={classes.pill}
            radius="xl"
            size="compact-md"
            onClick={view.toEnd}
            leftSection={<IconArrowDown size={15} aria-hidden />}
          >
            {view.below > 0 ? t(($) => $.chat.newBelow, { count: view.below }) : t(($) => $.chat.down)}
          </Button>
        )}
      </div>
      {controls}
    </div>
  );
}

/** Earlier messages come by themselves as one goes up to them; what does not come is asked for again by hand. */
function Older({ older, onAgain }: { older: 'still' | 'coming' | 'failed'; onAgain: () => void }) {
  const { t } = useTranslation('support');
  return (
    <div className={classes.older} role="status">
      {older === 'coming' && (
        <>
          <Loader size={14} aria-hidden />
          <span>{t(($) => $.chat.loadingOlder)}</span>
        </>
      )}
      {older === 'failed' && (
        <Button size="compact-sm" radius="xl" variant="default" onClick={onAgain}>
          {t(($) => $.chat.older)}
        </Button>
      )}
    </div>
  );
}

/** The rows in which somebody is at work: where the focus is, and what is being corrected. They stay drawn wherever one looks. */
function useHeld() {
  const [focused, setFocused] = useState<string | null>(null);
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set());
  const held = useMemo(() => (focused === null ? edited : new Set([...edited, focused])), [edited, focused]);
  const rowOf = (target: EventTarget | null) =>
    (target instanceof Element && target.closest('[data-key]')?.getAttribute('data-key')) || null;
  return {
    held,
    edited,
    edit: (key: string, editing: boolean) =>
      setEdited((before) => new Set([...before].filter((one) => one !== key).concat(editing ? [key] : []))),
    onFocus: (event: FocusEvent) => setFocused(rowOf(event.target)),
    onBlur: (event: FocusEvent) => setFocused(rowOf(event.relatedTarget)),
  };
}

function useRows(conversation: LiveConversation, ticket: Ticket, side: Side, notes: readonly Note[]) {
  const me = useUser()?._id;
  const day = useDayName();
  const { pending, hasOlder } = conversation;
  const { messages } = conversation.now;
  const merged = conversation.query.data?.merged;
  const first = messages[0]?.number ?? 0;
  // Where reading went on when the ticket was opened: a line that does not move while one reads.
  const opened = useRef({ mark: 0, last: 0 });
  if (opened.current.last === 0 && first > 0)
    opened.current = {
      mark: side === 'customer' ? ticket.readByCustomer : ticket.readByStaff,
      last: messages.at(-1)?.number ?? 0,
    };
  const unread = firstUnread(messages, opened.current.mark, opened.current.last, me);
  const starts = useRef<ReadonlySet<number>>(new Set());
  if (!starts.current.has(first)) starts.current = new Set([...starts.current, first]);
  const began = starts.current;
  return useMemo(() => {
    const entries = timeline(messages, notes, hasOlder, merged);
    return rowsOf({ entries, pending, me, hasOlder, began, unread, day });
  }, [messages, notes, hasOlder, merged, pending, me, began, unread, day]);
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
    <div className={classes.names} data-testid="people">
      {present.length > 0 && <span className={classes.dot} aria-hidden />}
      <span>{words.length > 0 ? words.join(' · ') : t(($) => $.chat.alone)}</span>
    </div>
  );
}

/** How each row is drawn. */
function useDrawn(
  conversation: LiveConversation,
  ticket: Ticket,
  side: Side,
  note: DeskParts['note'] | undefined,
  found: Found,
): (row: Row, editing: boolean, onEdit: (editing: boolean) => void) => ReactNode {
  const { t } = useTranslation('support');
  const me = useUser()?._id;
  const nowMs = useNow(20_000);
  const theirMark = side === 'customer' ? ticket.readByStaff : ticket.readByCustomer;
  const lastMine = conversation.now.messages.findLast((message) => message.author === me)?.number;
  return (row, editing, onEdit) => {
    switch (row.kind) {
      case 'day':
        return <div className={classes.divider}>{row.name}</div>;
      case 'unread':
        return (
          <div className={classes.divider} data-unread>
            {t(($) => $.chat.unread)}
          </div>
        );
      case 'note':
        return note?.(row.note);
      case 'earlier':
        return <EarlierItem from={row.from} side={side} />;
      case 'double':
        return <DoubleItem message={row.message} from={row.from} side={side} />;
      case 'pending':
        return <PendingItem pending={row.pending} conversation={conversation} />;
      case 'message': {
        const { message } = row;
        return (
          <MessageItem
            message={message}
            mine={message.author === me}
            first={row.first}
            mark={message.number === lastMine ? (theirMark >= message.number ? 'seen' : 'sent') : null}
            nowMs={nowMs}
            over={ticket.mergedInto != null}
            words={found.numbers.has(message.number) ? found.words : ''}
            editing={editing}
            onEdit={onEdit}
            upload={conversation.uploads.get(message._id)}
            conversation={conversation}
          />
        );
      }
    }
  };
}

function useDayName(): (at: string) => string {
  const { t } = useTranslation('support');
  const { tag, zone, date } = useFormat();
  const nowMs = useNow(20_000);
  const [today, yesterday] = [date(nowMs), date(nowMs - DAY_MS)];
  const [now, before] = [t(($) => $.chat.today), t(($) => $.chat.yesterday)];
  return useCallback(
    (at: string) => {
      const name = formatDate(tag, at, 'short', zone);
      return name === today ? now : name === yesterday ? before : name;
    },
    [tag, zone, today, yesterday, now, before],
  );
}
