import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { edit } from './people';
import { TwoNotice } from './TwoNotice';
import { useAsked } from './useAsked';

interface StatusDialogProps {
  person: { _id: string; fullName: string; username: string; status: string };
  /** Who decides about money is switched by two. */
  two: boolean;
  onClose: () => void;
}

/** Switches an account on or off, with the reason that its owner reads. */
export function StatusDialog({ person, two, onClose }: StatusDialogProps) {
  const { t } = useTranslation('people');
  const asked = useAsked();
  const off = person.status === 'active';
  const verb = off ? 'deactivate' : 'activate';
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.status[verb].title, { name: person.username })}
      facts={[{ label: t(($) => $.list.user), value: `${person.fullName} · @${person.username}` }]}
      consequence={t(($) => $.status[verb].effect)}
      reason={{ label: t(($) => $.status.reason), required: true }}
      confirmLabel={two ? t(($) => $.two.ask) : t(($) => $.status[verb].action)}
      saves
      danger={off}
      onConfirm={async ({ reason }) => {
        const { request } = await edit({ id: person._id, status: off ? 'inactive' : 'active', reason });
        asked(
          request,
          t(($) => $.status[verb].done),
        );
      }}
    >
      {two && <TwoNotice why="decider" />}
    </ConfirmDialog>
  );
}
