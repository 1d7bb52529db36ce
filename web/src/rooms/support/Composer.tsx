import { ActionIcon, FileButton, Group, Pill, Text, Textarea, Tooltip } from '@mantine/core';
import { IconPaperclip, IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { scales } from '@/api/scaleDown';
import { useUser } from '@/api/session';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { ATTACHMENT_TYPES, MAX_FILE, MAX_TEXT } from './api';
import classes from './ChatPanel.module.css';
import { keepDraft, readDraft } from './drafts';
import { useTellTyping } from './usePeople';

interface ComposerProps {
  ticket: string;
  /** Why nothing can be written here, in place of the field. */
  locked: string | null;
  hint: string | null;
  onSend: (text: string, file: File | null) => void;
}

/** The field at the foot of a conversation. What is written is kept until it is sent, also over a reload. */
export function Composer({ ticket, locked, hint, onSend }: ComposerProps) {
  const { t } = useTranslation('support');
  const { t: lists } = useTranslation('lists');
  const user = useUser();
  const me = user?._id ?? '';
  const offline = useOffline();
  const [text, setText] = useState(() => readDraft(me, ticket));
  const [file, setFile] = useState<File | null>(null);
  const resetFile = useRef<() => void>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const typing = useTellTyping(ticket);
  useEffect(() => {
    setText(readDraft(me, ticket));
    setFile(null);
  }, [me, ticket]);

  const change = (next: string) => {
    setText(next);
    keepDraft(me, ticket, next);
    if (next.trim() === '') typing.stop();
    else typing.type();
  };
  const tooLong = text.length > MAX_TEXT;
  const ready = text.trim() !== '' && !tooLong;
  const submit = () => {
    if (!ready || offline) return;
    onSend(text.trim(), file);
    typing.stop();
    setText('');
    keepDraft(me, ticket, '');
    dropFile();
    field.current?.focus();
  };
  const dropFile = () => {
    setFile(null);
    resetFile.current?.();
  };
  const choose = (chosen: File | null) => {
    if (chosen && chosen.size > MAX_FILE && !scales(chosen)) {
      toast.danger(lists(($) => $.file.tooLarge, { limit: `${MAX_FILE / 1024 / 1024} MB` }));
      resetFile.current?.();
      return;
    }
    setFile(chosen);
  };

  if (locked !== null)
    return (
      <div className={classes.composer}>
        <Text fz="sm" c="dimmed" ta="center" py={6}>
          {locked}
        </Text>
      </div>
    );
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {hint !== null && (
        <Text fz="sm" c="dimmed" mb={8}>
          {hint}
        </Text>
      )}
      <Textarea
        ref={field}
        aria-label={t(($) => $.chat.write)}
        placeholder={t(($) => $.chat.write)}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            submit();
          }
        }}
        autosize
        minRows={2}
        maxRows={8}
        error={tooLong ? t(($) => $.chat.tooLong, { count: MAX_TEXT }) : undefined}
      />
      <Group justify="space-between" mt={8} gap="sm" wrap="nowrap">
        <Group gap={8} miw={0} wrap="nowrap">
          {user?.emailConfirmed && (
            <FileButton
              onChange={choose}
              accept={Object.keys(ATTACHMENT_TYPES).join(',')}
              resetRef={resetFile}
              inputProps={{ 'aria-label': t(($) => $.chat.attach) }}
            >
              {(button) => (
                <Tooltip label={t(($) => $.chat.attach)}>
                  <ActionIcon {...button} size={36} variant="default" aria-label={t(($) => $.chat.attach)}>
                    <IconPaperclip size={18} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </FileButton>
          )}
          {file && (
            <Pill
              withRemoveButton
              onRemove={dropFile}
              removeButtonProps={{
                'aria-label': t(($) => $.chat.unattach),
                'aria-hidden': false,
                tabIndex: 0,
              }}
              maw={220}
            >
              {file.name}
            </Pill>
          )}
          {!file && (
            <Text fz="xs" c="dimmed" visibleFrom="sm">
              {t(($) => $.chat.sendHint)}
            </Text>
          )}
        </Group>
        <GuardedButton
          type="submit"
          allowed={ready}
          reason={tooLong ? t(($) => $.chat.tooLong, { count: MAX_TEXT }) : t(($) => $.chat.write)}
          leftSection={<IconSend size={16} aria-hidden />}
        >
          {t(($) => $.chat.send)}
        </GuardedButton>
      </Group>
    </form>
  );
}
