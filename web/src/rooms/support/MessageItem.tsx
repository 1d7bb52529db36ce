import { ActionIcon, Button, Group, Progress, Textarea, Tooltip } from '@mantine/core';
import { IconCheck, IconChecks, IconClock, IconMail, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOffline } from '@/api/connection';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { useErrorText } from '@/ui/useErrorText';
import { usePress } from '@/ui/usePress';
import { Attachment } from './Attachment';
import { EDIT_MS, editMessage, MAX_TEXT } from './api';
import classes from './ChatPanel.module.css';
import { Marked } from './ChatSearch';
import type { Message } from './conversation';
import type { Pending } from './outbox';
import type { LiveConversation, Upload } from './useConversation';
import { Who } from './Who';

interface MessageItemProps {
  message: Message;
  mine: boolean;
  /** The first of a run by one author: carries the name. */
  first: boolean;
  /** Under one's last message: whether the other side has seen it. */
  mark: 'seen' | 'sent' | null;
  /** The present moment, ticking, in ms. */
  nowMs: number;
  /** Nothing is said or corrected here any more. */
  over: boolean;
  /** Searched for, and in it. */
  words: string;
  /** One's own, being corrected: kept by the conversation, so that it lasts while one looks elsewhere in it. */
  editing: boolean;
  onEdit: (editing: boolean) => void;
  upload: Upload | undefined;
  conversation: LiveConversation;
}

export function MessageItem(props: MessageItemProps) {
  const { message, mine, first, mark, nowMs, over, words, editing, onEdit, upload, conversation } = props;
  const { t } = useTranslation('support');
  const { time } = useFormat();
  const until = Date.parse(message.created_at) + EDIT_MS;
  // What was mailed cannot be taken back.
  const editable = mine && !over && !message.deleted && !message.mailedTo && nowMs < until;
  return (
    <div
      className={classes.row}
      data-mine={mine || undefined}
      data-first={first || undefined}
      data-number={message.number}
    >
      {first && <Who message={message} mine={mine} />}
      {editing && editable ? (
        <Editor message={message} onDone={() => onEdit(false)} apply={conversation.apply} />
      ) : (
        <Bubble message={message} words={words} />
      )}
      <div className={classes.meta}>
        <time dateTime={message.created_at} className="num">
          {time(message.created_at)}
        </time>
        {message.edited && <span>{t(($) => $.chat.edited)}</span>}
        {editable && !editing && (
          <Tooltip label={t(($) => $.chat.editHint, { time: time(until) })}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              onClick={() => onEdit(true)}
              aria-label={t(($) => $.chat.edit)}
            >
              <IconPencil size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        {mark && <Mark mark={mark} />}
      </div>
      {upload && <UploadState message={message} upload={upload} conversation={conversation} />}
    </div>
  );
}

/** What was said, and how. */
export function Bubble({ message, words = '' }: { message: Message; words?: string }) {
  const { t } = useTranslation('support');
  return (
    <div className={classes.bubble}>
      {message.deleted ? (
        <span className={classes.deleted}>{t(($) => $.chat.deleted)}</span>
      ) : (
        <>
          {message.mailedTo && (
            <div className={classes.mailed}>
              <IconMail size={14} aria-hidden />
              <span>{t(($) => $.chat.mailed, { address: message.mailedTo })}</span>
            </div>
          )}
          {words === '' ? <span>{message.text}</span> : <Marked text={message.text} words={words} />}
          {message.attachment && <Attachment attachment={message.attachment} />}
        </>
      )}
    </div>
  );
}

function Mark({ mark }: { mark: 'seen' | 'sent' }) {
  const { t } = useTranslation('support');
  const Icon = mark === 'seen' ? IconChecks : IconCheck;
  return (
    <Group gap={3} wrap="nowrap" component="span">
      <Icon
        size={15}
        aria-hidden
        color={mark === 'seen' ? 'var(--mantine-primary-color-filled)' : undefined}
      />
      <span>{mark === 'seen' ? t(($) => $.chat.seen) : t(($) => $.chat.sent)}</span>
    </Group>
  );
}

function Editor(props: { message: Message; onDone: () => void; apply: (message: Message) => void }) {
  const { message, onDone, apply } = props;
  const { t } = useTranslation('support');
  const [text, setText] = useState(message.text);
  const { busy, run } = usePress(
    (text: string) => editMessage({ messageId: message._id, text }),
    (edited) => {
      apply(edited);
      onDone();
    },
  );
  const fits = text.trim() !== '' && text.length <= MAX_TEXT;
  const save = () => {
    if (fits) void run(text);
  };
  return (
    <div style={{ width: 'min(460px, 76vw)' }}>
      <Textarea
        aria-label={t(($) => $.chat.editLabel)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={MAX_TEXT}
        data-autofocus
        autoFocus
      />
      <Group gap="xs" mt={6} justify="flex-end">
        <Button size="compact-sm" variant="default" onClick={onDone}>
          {t(($) => $.chat.cancel)}
        </Button>
        <GuardedButton size="compact-sm" allowed={fits} loading={busy} onClick={save}>
          {t(($) => $.chat.save)}
        </GuardedButton>
      </Group>
    </div>
  );
}

function UploadState(props: { message: Message; upload: Upload; conversation: LiveConversation }) {
  const { message, upload, conversation } = props;
  const { t } = useTranslation('support');
  const errorText = useErrorText();
  if (upload.progress !== null)
    return (
      <div className={classes.meta} role="status">
        <span>{t(($) => $.chat.uploading)}</span>
        <Progress value={upload.progress * 100} w={120} size="sm" aria-label={t(($) => $.chat.uploading)} />
      </div>
    );
  return (
    <div className={classes.meta} role="alert">
      <span className={classes.error}>
        {t(($) => $.chat.uploadFailed, { reason: errorText(upload.error) })}
      </span>
      <button
        type="button"
        className={classes.linkish}
        onClick={() => void conversation.attach(message._id, upload.file)}
      >
        {t(($) => $.chat.retry)}
      </button>
      <button type="button" className={classes.linkish} onClick={() => conversation.dropUpload(message._id)}>
        {t(($) => $.chat.discard)}
      </button>
    </div>
  );
}

/** A message on its way: at once on screen, and clear about it when it did not arrive. */
export function PendingItem({ pending, conversation }: { pending: Pending; conversation: LiveConversation }) {
  const { t } = useTranslation('support');
  const { file, lost } = pending;
  return (
    <div className={classes.row} data-mine data-first data-state={pending.state}>
      <div className={classes.bubble}>
        <span>{pending.text}</span>
        {file && <div className={classes.meta}>{t(($) => $.chat.attached, { name: file.name })}</div>}
        {lost && <div className={classes.meta}>{t(($) => $.chat.fileLost, { name: lost })}</div>}
      </div>
      <PendingState pending={pending} conversation={conversation} />
    </div>
  );
}

function PendingState({ pending, conversation }: { pending: Pending; conversation: LiveConversation }) {
  const { t } = useTranslation('support');
  const { t: common } = useTranslation();
  const errorText = useErrorText();
  const offline = useOffline();
  const { state, error, lost } = pending;
  const action = (
    <button type="button" className={classes.linkish} onClick={() => conversation.discard(pending.clientId)}>
      {t(($) => $.chat.discard)}
    </button>
  );
  if (state !== 'failed')
    return (
      <div className={classes.meta}>
        <IconClock size={14} aria-hidden />
        <span>{state === 'sending' ? t(($) => $.chat.sending) : t(($) => $.chat.queued)}</span>
        {state === 'waiting' && action}
      </div>
    );
  return (
    <div className={classes.meta} role="alert">
      <span className={classes.error}>{t(($) => $.chat.failed)}</span>
      {error !== null ? (
        <span>{errorText(error)}</span>
      ) : (
        lost === null && <span>{t(($) => $.chat.closedSince)}</span>
      )}
      <Tooltip label={common(($) => $.guard.offline)} disabled={!offline}>
        <button
          type="button"
          className={classes.linkish}
          aria-disabled={offline || undefined}
          onClick={() => {
            if (!offline) conversation.retry(pending);
          }}
        >
          {t(($) => $.chat.retry)}
        </button>
      </Tooltip>
      {action}
    </div>
  );
}
