import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { toast } from '@/ui/toast';
import { freeze, type Holder } from './permissions';

/** One administrator stops another's decisions, and the own ones with them. */
export function FreezeDialog({ holder, onClose }: { holder: Holder; onClose: () => void }) {
  const { t } = useTranslation('permissions');
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(($) => $.freeze.title, { name: holder.person.username })}
      consequence={t(($) => $.freeze.note)}
      reason={{ label: t(($) => $.reason), required: true }}
      confirmLabel={t(($) => $.freeze.open)}
      danger
      onConfirm={async ({ reason }) => {
        await freeze({ userId: holder.person._id, reason });
        toast.success(t(($) => $.freeze.done));
      }}
    />
  );
}
