/** A ticket kept up to date: the newest page over REST, then its stream; messages sent from here are shown at once. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { idempotencyKey } from '@/api/client';
import { useLiveEvent, useStream } from '@/live/live';
import type { LiveEvent } from '@/live/protocol';
import { newerMessages, olderMessages, sendReply, showAbout, uploadAttachment, useTicketQuery } from './api';
import {
  type Conversation,
  EMPTY,
  leavesGap,
  type Message,
  type Pending,
  type Side,
  type Ticket,
  withFailed,
  withMessage,
  withOlder,
  withoutPending,
  withPending,
  withRead,
  withSnapshot,
  withTicket,
} from './conversation';
import { usePeople } from './usePeople';

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
  const [uploads, setUploads] = useState<ReadonlyMap<string, Upload>>(new Map());
  const { data, refetch: again } = query;
  const line = useRef<Promise<unknown>>(Promise.resolve());

  // What else of the answer is written over by facts is no newer page: messages corrected since it was read stay corrected.
  const readTicket = data?.ticket;
  const readMessages = data?.messages;
  useEffect(() => {
    if (readTicket && readMessages)
      setNow((before) => withSnapshot(before, { ticket: readTicket, messages: readMessages }));
  }, [readTicket, readMessages]);

  // Another ticket was merged into it: what was said there is read with the ticket.
  const grown = data !== undefined && (now.ticket?.doubles ?? 0) > (data.ticket.doubles ?? 0);
  useEffect(() => {
    if (grown) void again();
  }, [grown, again]);

  const catchUp = useCallback(
    async (after: number) => {
      const page = await newerMessages(side, id, after);
      setNow((before) => withSnapshot(before, page));
    },
    [id, side],
  );

  const hear = (event: LiveEvent) => {
    switch (event.kind) {
      case 'ticket.message':
      case 'ticket.message_changed': {
        const { message } = event;
        if (leavesGap(now, message)) void catchUp(now.messages.at(-1)?.number ?? 0).catch(() => {});
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

  const deliver = async (pending: Pending): Promise<void> => {
    setNow((before) => withPending(before, { ...pending, state: 'sending' }));
    // One after the other: two calls under way at once may arrive in the wrong order.
    const sent = line.current.then(() => sendReply({ ticketId: id, text: pending.text }, pending.clientId));
    line.current = sent.catch(() => {});
    try {
      const { message, ticket } = await sent;
      setNow((before) => {
        const known = before.messages.some(({ number }) => number === message.number);
        return withTicket(
          known ? withoutPending(before, pending.clientId) : withMessage(before, message),
          ticket,
        );
      });
      if (pending.file) await attach(message._id, pending.file);
    } catch (error) {
      setNow((before) => withFailed(before, pending.clientId));
      throw error;
    }
  };

  return {
    query,
    people,
    now,
    uploads,
    hasOlder: (now.messages[0]?.number ?? 1) > 1,
    loadOlder: async () => {
      const first = now.messages[0]?.number;
      if (first === undefined || first <= 1) return;
      const { messages } = await olderMessages(side, id, first);
      setNow((before) => withOlder(before, messages));
    },
    send: (text: string, file: File | null) =>
      deliver({ clientId: idempotencyKey(), text, file, at: new Date().toISOString(), state: 'sending' }),
    retry: deliver,
    discard: (clientId: string) => setNow((before) => withoutPending(before, clientId)),
    attach,
    dropUpload: (messageId: string) => putUpload(messageId, null),
    apply: (message: Message) => setNow((before) => withMessage(before, message)),
    applyTicket: (ticket: Ticket) => setNow((before) => withTicket(before, ticket)),
  };
}

export type LiveConversation = ReturnType<typeof useConversation>;
