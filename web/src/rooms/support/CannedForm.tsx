import { Alert, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asApiError } from '@/api/problem';
import { LOCALES } from '@/i18n/locales';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { MAX_TEXT } from './api';
import { VARIABLES } from './canned';
import { type Canned, keepCanned, MAX_TITLE } from './desk';

interface CannedFormProps {
  writing: { reply: Canned | null } | null;
  onClose: () => void;
}

/** A reply that is kept ready, in every language: none of a customer's may lack its own. */
export function CannedForm({ writing, onClose }: CannedFormProps) {
  const { t } = useTranslation('desk');
  return (
    <Modal
      opened={writing !== null}
      onClose={onClose}
      size="lg"
      title={writing?.reply ? t(($) => $.canned.edit) : t(($) => $.canned.new)}
      closeButtonProps={{ 'aria-label': t(($) => $.canned.close) }}
    >
      {writing && <Fields key={writing.reply?._id ?? ''} reply={writing.reply} onDone={onClose} />}
    </Modal>
  );
}

const EMPTY = { pt: '', en: '', es: '' };

function Fields({ reply, onDone }: { reply: Canned | null; onDone: () => void }) {
  const { t } = useTranslation('desk');
  const saveText = useSaveText();
  const [title, setTitle] = useState(reply?.title ?? '');
  const [text, setText] = useState(reply?.text ?? EMPTY);
  const { busy, failure, field, run, changed } = useSubmit(keepCanned, () => {
    toast.success(t(($) => $.canned.saved));
    onDone();
  });
  const ready = title.trim() !== '' && LOCALES.every((locale) => text[locale].trim() !== '');
  const named = ['title', ...LOCALES].some((name) => field(name));
  const behind = failure && asApiError(failure.error).code === 'request.conflict';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void run({ reply, typed: { title, text } });
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t(($) => $.canned.name)}
          description={t(($) => $.canned.nameHint)}
          value={title}
          onChange={(event) => {
            setTitle(event.currentTarget.value);
            changed();
          }}
          error={field('title')}
          maxLength={MAX_TITLE}
          required
          data-autofocus
        />
        <Text fz="sm" c="dimmed">
          {t(($) => $.canned.variables, { names: VARIABLES.map((name) => `{${name}}`).join(', ') })}
        </Text>
        {LOCALES.map((locale) => (
          <Textarea
            key={locale}
            label={t(($) => $.canned.text, { language: t(($) => $.canned.languages[locale]) })}
            lang={locale}
            value={text[locale]}
            onChange={(event) => {
              setText({ ...text, [locale]: event.currentTarget.value });
              changed();
            }}
            error={field(locale)}
            maxLength={MAX_TEXT}
            autosize
            minRows={3}
            maxRows={10}
            required
          />
        ))}
        {failure && !named && (
          <Alert color="red" variant="light" role="alert">
            {behind ? t(($) => $.canned.changed) : saveText(failure.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <GuardedButton type="submit" allowed={ready} loading={busy} reason={t(($) => $.canned.needs)}>
            {t(($) => $.canned.save)}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
