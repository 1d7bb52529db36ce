import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Me } from '@/api/session';
import { PersonAvatar } from '@/shared/people/PersonAvatar';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorCard } from '@/ui/ErrorCard';
import { FileDrop, IMAGE_TYPES } from '@/ui/FileDrop';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { usePiece } from '@/ui/usePiece';
import { AVATAR_BYTES, removeAvatar } from './avatar';

/** Fetched with the first picture. */
const cropForm = async () => (await import('./CropForm')).default;

/** One's own picture: another one, cut as one likes, or none. */
export function AvatarCard({ user }: { user: Me }) {
  const { t } = useTranslation('account');
  const [file, setFile] = useState<File | null>(null);
  const [removing, setRemoving] = useState(false);
  const { piece: CropForm, failed, fetch } = usePiece(cropForm);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    if (chosen) fetch();
  };
  const close = () => setFile(null);
  return (
    <Section title={t(($) => $.avatar.title)} hint={t(($) => $.avatar.hint)}>
      <Group align="center" gap="lg">
        <PersonAvatar person={user} size={96} />
        <Stack gap="sm" style={{ flex: 1, minWidth: 220 }}>
          <FileDrop
            label={user.avatar ? t(($) => $.avatar.another) : t(($) => $.avatar.choose)}
            value={null}
            onChange={choose}
            accept={IMAGE_TYPES}
            maxBytes={AVATAR_BYTES}
          />
          {user.avatar && (
            <Group>
              <Button
                variant="default"
                size="sm"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => setRemoving(true)}
              >
                {t(($) => $.avatar.remove)}
              </Button>
            </Group>
          )}
        </Stack>
      </Group>
      <Modal opened={file !== null} onClose={close} title={t(($) => $.avatar.cut)} centered>
        {file &&
          (CropForm ? (
            <CropForm file={file} onClose={close} />
          ) : failed ? (
            <ErrorCard what={t(($) => $.avatar.tool)} onRetry={fetch} />
          ) : (
            <Skeleton h={320} radius="md" />
          ))}
      </Modal>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t(($) => $.avatar.question)}
        consequence={t(($) => $.avatar.consequence)}
        confirmLabel={t(($) => $.avatar.remove)}
        saves
        danger
        onConfirm={async () => {
          await removeAvatar(null);
          toast.success(t(($) => $.avatar.removed));
        }}
      />
    </Section>
  );
}
