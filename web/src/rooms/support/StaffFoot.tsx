import { SegmentedControl, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './ChatPanel.module.css';
import { NoteField } from './NoteField';

/** The foot of a conversation for staff: a reply to the customer, or a note that stays inside. */
export function StaffFoot({ ticket, reply }: { ticket: string; reply: ReactNode }) {
  const { t } = useTranslation('desk');
  const [mode, setMode] = useState('reply');
  return (
    <div className={classes.foot} data-note={mode === 'note' || undefined}>
      <div className={classes.mode}>
        <SegmentedControl
          size="xs"
          value={mode}
          onChange={setMode}
          aria-label={t(($) => $.notes.mode)}
          data={[
            { value: 'reply', label: t(($) => $.notes.reply) },
            { value: 'note', label: t(($) => $.notes.note) },
          ]}
        />
        {mode === 'note' && (
          <Text fz="xs" fw={500}>
            {t(($) => $.notes.inside)}
          </Text>
        )}
      </div>
      {/* What is begun and attached of a reply stays while something is noted. */}
      <div hidden={mode === 'note'}>{reply}</div>
      {mode === 'note' && <NoteField key={ticket} ticket={ticket} />}
    </div>
  );
}
