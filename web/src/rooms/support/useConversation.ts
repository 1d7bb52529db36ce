/** A ticket kept up to date: the newest page over REST, then its stream; messages sent from here are shown at once. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { idempotencyKey } from '@/api/client';
import { serverNow } from '@/api/clock';
import { isOffline, useConnection, useOffline } from '@/api/connection';
import { isLook } from '@/api/look';
import { useUser } from '@/api/session';
import { useLiveEvent, useStream } from '@/live/live';
import type { LiveEvent } from '@/live/protocol';
import { newerMessages, olderMessages, sendReply, showAbout, uploadAttachment, useTicketQuery } from './api';
import {
  type Conversation,
  EMPTY,
  leavesGap,
  type Message,
  newer,
  type Side,
  type Ticket,
  withMessage,
  withOlder,
  withRead,
  withSnapshot,
  withTicket,
} from './conversation';
import { Outbox, type Pending } from './outbox';
import { keepUnsent, readUnsent } from './unsent';
import { usePeople } from './usePeople';

/** Of more than this, missed in one absence, the newest are shown and the others come when one goes up to them. */
const FILLED = 1_000;

/** An attachment on its way to a message that has been stored. */
export interface Upload {
  file: File;
  /** 0–1; null when it failed. */
  progress: number | null;
  error: unknown;
}

export function useConversation(id: string, side: Side) {
  // Before the stream: presence is told at once on subscribing, when the messages may still be on their way.
  const people = usePeople(id);
  const query = useTicketQuery(side, id);
  const [now, setNow] = useState<Conversation>(EMPTY);
  const latest = useRef(now);
  latest.current = now;
  const { data, refetch: again } = query;
  const own = useOwn(id, latest, setNow, again);
  const { settle } = own;

  /** The newest number that was heard of. */
  const heard = useRef(0);
  const filling = useRef<Promise<void> | null>(null);
  const fill = useCallback((): Promise<void> => {
    const from = async (last: number) => {
      while (last < heard.current) {
        const page = await newerMessages(side, id, last);
        const newest = page.messages.at(-1)?.number ?? last;
        if (newest <= last) return;
        settle(page.messages);
        setNow((before) => withSnapshot(before, page));
        last = newest;
      }
    };
    filling.current ??= from(latest.current.messages.at(-1)?.number ?? 0).finally(() => {
      filling.current = null;
    });
    return filling.current;
  }, [id, side, settle]);

  // What else of the answer is written over by facts is no newer page: messages corrected since it was read stay corrected.
  const readTicket = data?.ticket;
  const readMessages = data?.messages;
  useEffect(() => {
    if (!readTicket || !readMessages) return;
    const page = { ticket: readTicket, messages: readMessages };
    settle(readMessages);
    const show = () => setNow((before) => withSnapshot(before, page));
    const last = latest.current.messages.at(-1)?.number ?? 0;
    const missed = (readMessages[0]?.number ?? 0) - last - 1;
    if (last === 0 || missed <= 0 || missed > FILLED) return show();
    // After a long absence: what is on screen stays, and what came meanwhile is put after it.
    heard.current = Math.max(heard.current, readMessages.at(-1)?.number ?? 0);
    setNow((before) => withTicket(before, readTicket));
    void fill().then(show, show);
  }, [readTicket, readMessages, settle, fill]);

  // Another ticket was merged into it, or is deleted since: what was said there is read with the ticket.
  const merged = now.ticket?.doubles ?? 0;
  const stale =
    data !== undefined &&
    (now.ticket?.version ?? 0) > data.ticket.version &&
    merged !== (data.ticket.doubles ?? 0);
  useEffect(() => {
    if (stale) void again();
  }, [stale, again]);

  const hear = (event: LiveEvent) => {
    switch (event.kind) {
      case 'ticket.message':
      case 'ticket.message_changed': {
        const { message } = event;
        heard.current = Math.max(heard.current, message.number);
        if (leavesGap(latest.current, message)) void fill().catch(() => {});
        settle([message]);
        setNow((before) => withMessage(before, message));
        break;
      }
      case 'ticket.read':
        setNow((before) => withRead(before, event.side, event.upTo));
        break;
      case 'ticket.about':
        showAbout(side, id, event.about);
        break;
      case 'ticket.status':
        setNow((before) => withTicket(before, event.ticket));
        break;
    }
  };
  useStream(`ticket:${id}`, hear, again);
  useLiveEvent('ticket.activity', ({ ticket }) => {
    if (ticket._id === id) setNow((before) => withTicket(before, ticket));
  });

  const loadOlder = useCallback(
    /** One page, or all down to a message. */
    async (downTo?: number) => {
      let first = latest.current.messages[0]?.number ?? 1;
      do {
        if (first <= 1) return;
        const { messages } = await olderMessages(side, id, first);
        setNow((before) => withOlder(before, messages));
        first = messages[0]?.number ?? 1;
      } while (downTo !== undefined && first > downTo);
    },
    [id, side],
  );

  return {
    ...own,
    query,
    people,
    now,
    hasOlder: (now.messages[0]?.number ?? 1) > 1,
    loadOlder,
    apply: (message: Message) => setNow((before) => withMessage(before, message)),
    applyTicket: (ticket: Ticket) => setNow((before) => withTicket(before, ticket)),
  };
}

/** One's own messages and their attachments on their way. */
function useOwn(
  id: string,
  latest: { readonly current: Conversation },
  setNow: (change: (before: Conversation) => Conversation) => void,
  again: () => Promise<{ data: { ticket: Ticket } | undefined }>,
) {
  const me = useUser()?._id ?? '';
  const offline = useOffline();
  const [uploads, setUploads] = useState<ReadonlyMap<string, Upload>>(new Map());
  const putUpload = (messageId: string, upload: Upload | null) =>
    setUploads((before) => {
      const next = new Map(before);
      if (upload) next.set(messageId, upload);
      else next.delete(messageId);
      return next;
    });

  const attach = async (messageId: string, file: File) => {
    putUpload(messageId, { file, progress: 0, error: null });
    try {
      const { message } = await uploadAttachment({
        ticketId: id,
        messageId,
        file,
        onProgress: (progress) => putUpload(messageId, { file, progress, error: null }),
      });
      setNow((before) => withMessage(before, message));
      putUpload(messageId, null);
    } catch (error) {
      putUpload(messageId, { file, progress: null, error });
    }
  };

  /** As it was last read; what is on screen may be behind it for a moment. */
  const read = useRef<Ticket | null>(null);
  const [waiting, setWaiting] = useState<readonly Pending[]>(() => readUnsent(me, id));
  const [outbox] = useState(
    () =>
      new Outbox(
        {
          send: ({ text, clientId }) => sendReply({ ticketId: id, text }, clientId),
          sent: ({ file }, { message, ticket }) => {
            read.current = newer(read.current, ticket);
            setNow((before) => withTicket(withMessage(before, message), ticket));
            if (file) void attach(message._id, file);
          },
          changed: (items) => {
            keepUnsent(me, id, items);
            setWaiting(items);
          },
          ready: () => !isLook && latest.current.ticket !== null && !isOffline(useConnection.getState()),
          // Whoever wrote before it was closed did not mean to open it again.
          holds: ({ at }) => {
            const shown = latest.current.ticket;
            const ticket = shown && read.current ? newer(shown, read.current) : (read.current ?? shown);
            return ticket?.status === 'closed' && Date.parse(ticket.closedAt ?? '') > Date.parse(at);
          },
        },
        waiting,
      ),
  );

  // What was written before a cut goes on its way once it is known how the ticket stands now.
  const known = latest.current.ticket !== null;
  useEffect(() => {
    if (offline || !known || outbox.items.length === 0) return;
    let over = false;
    void again().then(({ data }) => {
      if (over || !data) return;
      read.current = read.current ? newer(read.current, data.ticket) : data.ticket;
      void outbox.resume();
    });
    return () => {
      over = true;
    };
  }, [offline, known, outbox, again]);
  const settle = useCallback(
    (messages: readonly Message[]) => outbox.settle(messages.filter(({ author }) => author === me)),
    [outbox, me],
  );

  return {
    pending: waiting,
    uploads,
    settle,
    send: (text: string, file: File | null) =>
      void outbox.add({ clientId: idempotencyKey(), text, file, at: new Date(serverNow()).toISOString() }),
    retry: ({ clientId }: Pending) => void outbox.retry(clientId),
    discard: (clientId: string) => void outbox.discard(clientId),
    attach,
    dropUpload: (messageId: string) => putUpload(messageId, null),
  };
}

export type LiveConversation = ReturnType<typeof useConversation>;
