import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { ErrorCard } from '@/ui/ErrorCard';
import { CannedButton, CannedChoice } from './CannedChoice';
import { ChatPanel } from './ChatPanel';
import { firstName } from './canned';
import type { Ticket } from './conversation';
import { type Desk, languageOf, type Note, useCannedReplies, useNotes } from './desk';
import { NoteItem } from './NoteItem';
import { StaffFoot } from './StaffFoot';
import type { CannedOf } from './useCanned';
import type { LiveConversation } from './useConversation';

const NONE: readonly Note[] = [];

interface DeskChatProps {
  conversation: LiveConversation;
  ticket: Ticket;
  desk: Desk | null;
  /** The customer's language, once it is known. */
  locale: string | undefined;
}

/** A conversation as staff see it: with their notes in it, the replies that they keep ready, and whose ticket it is. */
export function DeskChat({ conversation, ticket, desk, locale }: DeskChatProps) {
  // On their own ticket staff are customers, and nothing is noted for them to read.
  const own = useUser()?._id === ticket.user;
  return own ? (
    <ChatPanel conversation={conversation} ticket={ticket} side="staff" />
  ) : (
    <Noted conversation={conversation} ticket={ticket} desk={desk} locale={locale} />
  );
}

function Noted({ conversation, ticket, desk, locale }: DeskChatProps) {
  const { t } = useTranslation('desk');
  const user = useUser();
  const notes = useNotes(ticket._id);
  const replies = useCannedReplies().data?.data;
  const holder = desk?.takenBy;
  const canned: CannedOf | null =
    replies && locale !== undefined
      ? {
          replies,
          locale: languageOf(locale),
          values: {
            name: firstName(ticket.userName),
            ticket: String(ticket.number),
            subject: ticket.subject,
            agent: firstName(user?.fullName ?? ''),
          },
        }
      : null;
  return (
    <ChatPanel
      conversation={conversation}
      ticket={ticket}
      side="staff"
      desk={{
        notes: notes.data?.data ?? NONE,
        note: (note) => <NoteItem note={note} />,
        canned: canned && {
          of: canned,
          choice: (choice) => <CannedChoice canned={canned} choice={choice} />,
          button: (begin) => <CannedButton onClick={begin} />,
        },
        hint: holder && holder._id !== user?._id ? t(($) => $.holder.answering, { name: holder.name }) : null,
        foot: (reply) => (
          <>
            {notes.error && !notes.data && (
              <ErrorCard what={t(($) => $.notes.what)} error={notes.error} onRetry={notes.refetch} />
            )}
            <StaffFoot ticket={ticket._id} reply={reply} />
          </>
        ),
      }}
    />
  );
}
