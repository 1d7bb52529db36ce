import { Alert, Card, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconNote } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PersonLink } from '@/shared/people/PersonCell';
import { EmptyState } from '@/ui/EmptyState';
import { GuardedButton } from '@/ui/GuardedButton';
import { List } from '@/ui/List';
import { toast } from '@/ui/toast';
import { useErrorText } from '@/ui/useErrorText';
import { useList } from '@/ui/useList';
import { useSubmit } from '@/ui/useSubmit';
import { When } from '@/ui/When';
import { addNote, MAX_NOTE, NOTES } from './people';

/** What staff wrote down about a person: added, never changed, never shown to the person. */
export function Notes({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const list = useList(NOTES, { path: { id }, sorts: 'never' });
  return (
    <Stack gap="lg">
      <Card>
        <Write id={id} />
      </Card>
      <List
        list={list}
        name="notas"
        label={t(($) => $.tabs.notes)}
        what={t(($) => $.notes.what)}
        columns={[
          {
            key: 'text',
            label: t(($) => $.notes.note),
            fixed: true,
            render: ({ text }) => (
              <Text fz="sm" maw={640} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {text}
              </Text>
            ),
          },
          {
            key: 'author',
            label: t(($) => $.notes.author),
            fixed: true,
            render: ({ author }) => <PersonLink id={author._id} username={author.username} />,
          },
          {
            key: 'at',
            label: t(($) => $.notes.at),
            fixed: true,
            render: ({ created_at }) => <When at={created_at} relative />,
          },
        ]}
        empty={
          <EmptyState
            icon={<IconNote size={26} stroke={1.5} />}
            title={t(($) => $.notes.empty)}
            hint={t(($) => $.notes.hint)}
          />
        }
      />
    </Stack>
  );
}

function Write({ id }: { id: string }) {
  const { t } = useTranslation('people');
  const errorText = useErrorText();
  const [text, setText] = useState('');
  const { busy, failure, field, run, changed } = useSubmit(addNote, () => {
    setText('');
    toast.success(t(($) => $.notes.saved));
  });
  const ready = text.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void run({ id, text });
      }}
    >
      <Stack gap="sm">
        <Textarea
          label={t(($) => $.notes.label)}
          description={t(($) => $.notes.hint)}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            changed();
          }}
          error={field('text')}
          maxLength={MAX_NOTE}
          autosize
          minRows={2}
          maxRows={10}
        />
        {failure && !field('text') && (
          <Alert color="red" variant="light" role="alert">
            {errorText(failure.error)}
          </Alert>
        )}
        <Group>
          <GuardedButton type="submit" loading={busy} allowed={ready} reason={t(($) => $.notes.needs)}>
            {t(($) => $.notes.save)}
          </GuardedButton>
        </Group>
      </Stack>
    </form>
  );
}
