import { IconNote } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import classes from './ChatPanel.module.css';
import type { Note } from './desk';

/** An internal note among the messages: clearly not one of them. */
export function NoteItem({ note }: { note: Note }) {
  const { t } = useTranslation('desk');
  const { time } = useFormat();
  return (
    <div className={classes.note} data-note={note.number}>
      <div className={classes.noteHead}>
        <IconNote size={14} aria-hidden />
        <span>{t(($) => $.notes.note)}</span>
        <span translate="no">{note.author.name}</span>
        <time dateTime={note.created_at} className="num">
          {time(note.created_at)}
        </time>
      </div>
      <div>{note.text}</div>
    </div>
  );
}
