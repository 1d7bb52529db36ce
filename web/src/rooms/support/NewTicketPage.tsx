import { Alert, Anchor, Card, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconArrowLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { asApiError } from '@/api/problem';
import { useUser } from '@/api/session';
import { FileDrop } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { type AboutChoice, AboutPicker } from './AboutPicker';
import {
  ATTACHMENT_TYPES,
  CATEGORIES,
  MAX_FILE,
  MAX_SUBJECT,
  MAX_TEXT,
  openTicket,
  uploadAttachment,
} from './api';
import { pastedFiles } from './pasted';
import { useTakeFile } from './useTakeFile';

interface Fields {
  subject: string;
  category: string;
  description: string;
  about: AboutChoice;
}

export default function NewTicketPage() {
  const { t } = useTranslation('support');
  const navigate = useNavigate();
  const errorText = useErrorText();
  // Until the address is confirmed there is nothing that it could be about, and no file is taken.
  const confirmed = useUser()?.emailConfirmed ?? false;
  const [file, setFile] = useState<File | null>(null);
  const take = useTakeFile(setFile);
  const [progress, setProgress] = useState<number | null>(null);
  const bounded = (value: string, missing: string, max: number) =>
    value.trim() === '' ? missing : value.length > max ? t(($) => $.form.tooLong, { count: max }) : null;
  const form = useForm<Fields>({
    initialValues: { subject: '', category: '', description: '', about: { kind: null, id: null } },
    validate: {
      subject: (value) =>
        bounded(
          value,
          t(($) => $.form.subjectMissing),
          MAX_SUBJECT,
        ),
      category: (value) => (value === '' ? t(($) => $.form.categoryMissing) : null),
      description: (value) =>
        bounded(
          value,
          t(($) => $.form.descriptionMissing),
          MAX_TEXT,
        ),
      about: ({ kind, id }) => (kind && !id ? t(($) => $.form.aboutMissing) : null),
    },
  });

  // One id for all tries of this form: a second try after a lost answer opens no second ticket.
  const { busy, failure, run } = useSubmit(
    async ({ about: { kind, id }, ...fields }: Fields, clientId) => {
      const about = kind && id ? { kind, id } : null;
      const { ticket } = await openTicket({ ...fields, about }, clientId);
      const fileProblem = file ? await attach(ticket._id, file) : null;
      toast.success(t(($) => $.form.opened, { number: ticket.number }));
      void navigate(`/support/ticket/${ticket._id}`, { replace: true, state: { fileProblem } });
    },
    undefined,
    (thrown) => {
      const error = asApiError(thrown);
      for (const name of ['subject', 'category', 'description', 'about'] as const) {
        const message = error.field(name);
        if (message) form.setFieldError(name, message);
      }
    },
  );
  /** Why the attachment did not arrive, if so. The ticket stands; its page says what is missing and can take another one. */
  const attach = async (ticket: string, chosen: File): Promise<string | null> => {
    setProgress(0);
    try {
      await uploadAttachment({ ticketId: ticket, messageId: null, file: chosen, onProgress: setProgress });
      return null;
    } catch (error) {
      return errorText(error);
    }
  };

  return (
    <Stack gap="lg" maw={760}>
      <Anchor component={Link} to="/support" fz="sm" w="fit-content">
        <Group gap={6} component="span">
          <IconArrowLeft size={16} aria-hidden />
          <span>{t(($) => $.form.back)}</span>
        </Group>
      </Anchor>
      <PageHeader title={t(($) => $.form.title)} subtitle={t(($) => $.form.subtitle)} />
      <Card p={{ base: 'md', sm: 'xl' }}>
        <form
          noValidate
          onSubmit={form.onSubmit((fields) => void run(fields))}
          onPaste={(event) => {
            const files = confirmed && !busy ? pastedFiles(event.clipboardData) : [];
            if (files.length === 0) return;
            event.preventDefault();
            take(files);
          }}
        >
          <Stack gap="md">
            <TextInput
              label={t(($) => $.form.subject)}
              placeholder={t(($) => $.form.subjectHint)}
              maxLength={MAX_SUBJECT}
              required
              disabled={busy}
              {...form.getInputProps('subject')}
            />
            <Select
              label={t(($) => $.form.category)}
              placeholder={t(($) => $.form.categoryHint)}
              data={CATEGORIES.map((value) => ({ value, label: t(($) => $.category[value]) }))}
              allowDeselect={false}
              required
              disabled={busy}
              {...form.getInputProps('category')}
              value={form.values.category || null}
              onChange={(value) => form.setFieldValue('category', value ?? '')}
            />
            {confirmed && (
              <AboutPicker
                value={form.values.about}
                onChange={(about) => {
                  form.setFieldValue('about', about);
                  form.clearFieldError('about');
                }}
                error={form.errors.about}
                disabled={busy}
              />
            )}
            <Textarea
              label={t(($) => $.form.description)}
              autosize
              minRows={5}
              maxRows={14}
              required
              disabled={busy}
              {...form.getInputProps('description')}
            />
            {confirmed && (
              <FileDrop
                label={t(($) => $.form.file)}
                value={file}
                onChange={setFile}
                accept={ATTACHMENT_TYPES}
                maxBytes={MAX_FILE}
                progress={progress}
              />
            )}
            {failure && (
              <Alert color="red" variant="light" role="alert">
                {errorText(failure.error)}
              </Alert>
            )}
            <Group justify="flex-end">
              <GuardedButton type="submit" allowed loading={busy}>
                {t(($) => $.form.submit)}
              </GuardedButton>
            </Group>
          </Stack>
        </form>
      </Card>
    </Stack>
  );
}
