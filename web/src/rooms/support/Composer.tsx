import { ActionIcon, FileButton, Group, Pill, Text, Textarea, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconPaperclip, IconSend } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isLook } from '@/api/look';
import { useUser } from '@/api/session';
import { GuardedButton } from '@/ui/GuardedButton';
import { ATTACHMENT_TYPES, MAX_TEXT } from './api';
import classes from './ChatPanel.module.css';
import { keepDraft, readDraft } from './drafts';
import { bringsFiles, pastedFiles } from './pasted';
import { type CannedOf, useCanned } from './useCanned';
import { useTellTyping } from './usePeople';
import { useTakeFile } from './useTakeFile';

interface ComposerProps {
  ticket: string;
  /** Why nothing can be written here, in place of the field. */
  locked: string | null;
  hint: string | null;
  onSend: (text: string, file: File | null) => void;
  canned?: CannedParts | null;
}

/** Of staff: the replies that they keep ready, and how those are drawn. */
export interface CannedParts {
  of: CannedOf;
  choice: (choice: ReturnType<typeof useCanned>) => ReactNode;
  button: (begin: () => void) => ReactNode;
}

/** The field at the foot of a conversation. What is written is kept until it is sent, also over a reload. */
export function Composer({ ticket, locked, hint, onSend, canned = null }: ComposerProps) {
  const { t } = useTranslation('support');
  const user = useUser();
  const me = user?._id ?? '';
  const { t: common } = useTranslation();
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
  const choice = useCanned(field, text, change, canned?.of ?? null);
  const content = canned?.choice(choice);
  const trigger = canned?.button(choice.begin);
  const tooLong = text.length > MAX_TEXT;
  const ready = text.trim() !== '' && !tooLong;
  const submit = () => {
    if (!ready || isLook) return;
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
  const take = useTakeFile((taken) => {
    setFile(taken);
    field.current?.focus();
  });
  const choose = (chosen: File | null) => {
    if (!chosen) setFile(null);
    else if (!take([chosen])) resetFile.current?.();
  };
  // Until the address is confirmed no file is taken.
  const takes = user?.emailConfirmed ?? false;
  const [over, setOver] = useState(false);
  const drag = (event: DragEvent) => {
    if (!takes || !bringsFiles(event.dataTransfer)) return;
    event.preventDefault();
    setOver(true);
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
      data-over={over || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragEnter={drag}
      onDragOver={drag}
      onDragLeave={(event) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
      }}
      onDrop={(event) => {
        if (!takes || !bringsFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      }}
    >
      {hint !== null && (
        <Text fz="sm" c="dimmed" mb={8}>
          {hint}
        </Text>
      )}
      {content}
      <Textarea
        ref={field}
        {...choice.aria}
        aria-label={t(($) => $.chat.write)}
        placeholder={t(($) => $.chat.write)}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        onSelect={choice.look}
        onPaste={(event) => {
          const files = takes ? pastedFiles(event.clipboardData) : [];
          if (files.length === 0) return;
          event.preventDefault();
          take(files);
        }}
        onKeyDown={(event) => {
          if (choice.onKeyDown(event)) return;
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
          {takes && (
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
          {trigger}
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
              <span>{t(($) => $.chat.sendHint)}</span>
              {takes && <span>{` · ${over ? t(($) => $.chat.drop) : t(($) => $.chat.dropHint)}`}</span>}
            </Text>
          )}
          <VisuallyHidden role="status">
            {file && t(($) => $.chat.attached, { name: file.name })}
          </VisuallyHidden>
        </Group>
        <GuardedButton
          type="submit"
          allowed={ready && !isLook}
          // Without a connection it waits among the messages.
          needsConnection={false}
          reason={
            isLook
              ? common(($) => $.look.refused)
              : tooLong
                ? t(($) => $.chat.tooLong, { count: MAX_TEXT })
                : t(($) => $.chat.write)
          }
          leftSection={<IconSend size={16} aria-hidden />}
          // The hint beside it wraps; what the button says stays whole.
          flex="none"
        >
          {t(($) => $.chat.send)}
        </GuardedButton>
      </Group>
    </form>
  );
}
