import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import classes from './ChatPanel.module.css';
import type { Message } from './conversation';

interface WhoProps {
  message: Message;
  mine: boolean;
  /** What else stands in the line. */
  children?: ReactNode;
}

/** Above what somebody says: their face, their name, and that they are of the team. The face takes its place before it has come. */
export function Who({ message, mine, children }: WhoProps) {
  const { t } = useTranslation('support');
  return (
    <div className={classes.who}>
      <span aria-hidden className={classes.face}>
        <PersonAvatar
          person={{ fullName: message.authorName, avatar: message.authorAvatar ?? null }}
          size={20}
        />
      </span>
      <span>{mine ? t(($) => $.chat.you) : message.authorName}</span>
      {!mine && message.side === 'staff' && (
        <span>
          {' '}
          · <span>{t(($) => $.chat.team)}</span>
        </span>
      )}
      {children}
    </div>
  );
}
