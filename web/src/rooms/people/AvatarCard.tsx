import { Button, Card, Group, Stack, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { FileDrop, IMAGE_TYPES } from '@/ui/FileDrop';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { AVATAR_BYTES, type Person, putAvatar, removeAvatar } from './people';

/** Somebody's picture: another one, or none. */
export function AvatarCard({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const saveText = useSaveText();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [removing, setRemoving] = useState(false);
  const { busy, failure, field, run, clear } = useSubmit(putAvatar, () => {
    setFile(null);
    toast.success(t(($) => $.avatar.saved));
  });
  const problem = failure ? (field('file') ?? saveText(failure.error)) : undefined;
  return (
    <Card component="section" aria-labelledby="avatar">
      <Title order={2} fz={17} id="avatar" mb="md">
        {t(($) => $.avatar.title)}
      </Title>
      <Group align="start" gap="lg">
        <PersonAvatar person={person} size={88} />
        <Stack gap="sm" style={{ flex: 1, minWidth: 220 }}>
          <FileDrop
            label={t(($) => $.avatar.choose)}
            value={file}
            onChange={(next) => {
              setFile(next);
              clear();
            }}
            accept={IMAGE_TYPES}
            maxBytes={AVATAR_BYTES}
            progress={busy ? progress : null}
            error={problem}
          />
          <Group gap="sm">
            <GuardedButton
              loading={busy}
              allowed={file !== null}
              reason={t(($) => $.avatar.needs)}
              onClick={() => file && void run({ id: person._id, file, onProgress: setProgress })}
            >
              {t(($) => $.avatar.save)}
            </GuardedButton>
            {person.avatar && (
              <Button
                variant="default"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => setRemoving(true)}
              >
                {t(($) => $.avatar.remove)}
              </Button>
            )}
          </Group>
        </Stack>
      </Group>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t(($) => $.avatar.question, { name: person.username })}
        confirmLabel={t(($) => $.avatar.remove)}
        saves
        danger
        onConfirm={async () => {
          await removeAvatar(person._id);
          toast.success(t(($) => $.avatar.removed));
        }}
      />
    </Card>
  );
}
