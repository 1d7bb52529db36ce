import { Alert, Group, Text, Textarea } from '@mantine/core';
import { IconNote } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { GuardedButton } from '@/ui/GuardedButton';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { MAX_TEXT } from './api';
import classes from './ChatPanel.module.css';
import { addNote } from './desk';
import { keepDraft, readDraft } from './drafts';

/** Where an internal note is written. What is begun is kept apart from what is begun of a reply. */
export function NoteField({ ticket }: { ticket: string }) {
  const { t } = useTranslation('desk');
  const errorText = useErrorText();
  const me = useUser()?._id ?? '';
  const draft = `${ticket}:note`;
  const [text, setText] = useState(() => readDraft(me, draft));
  const change = (next: string) => {
    setText(next);
    keepDraft(me, draft, next);
  };
  const { busy, failure, run, changed } = useSubmit(addNote, () => change(''));
  const tooLong = text.length > MAX_TEXT;
  const ready = text.trim() !== '' && !tooLong;
  const submit = () => {
    if (ready) void run({ id: ticket, text: text.trim() });
  };
  return (
    <form
      className={classes.noteField}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {failure && (
        <Alert color="red" variant="light" role="alert" mb={8}>
          {errorText(failure.error)}
        </Alert>
      )}
      <Textarea
        aria-label={t(($) => $.notes.write)}
        placeholder={t(($) => $.notes.write)}
        value={text}
        onChange={(event) => {
          change(event.currentTarget.value);
          changed();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          submit();
        }}
        autosize
        minRows={2}
        maxRows={8}
        error={tooLong ? t(($) => $.notes.tooLong, { count: MAX_TEXT }) : undefined}
      />
      <Group justify="space-between" mt={8} gap="sm" wrap="nowrap">
        <Text fz="xs" c="dimmed">
          {t(($) => $.notes.hint)}
        </Text>
        <GuardedButton
          type="submit"
          allowed={ready}
          loading={busy}
          color="gold"
          variant="light"
          reason={tooLong ? t(($) => $.notes.tooLong, { count: MAX_TEXT }) : t(($) => $.notes.write)}
          leftSection={<IconNote size={16} aria-hidden />}
          flex="none"
        >
          {t(($) => $.notes.save)}
        </GuardedButton>
      </Group>
    </form>
  );
}
