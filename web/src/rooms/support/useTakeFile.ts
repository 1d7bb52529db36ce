import { useTranslation } from 'react-i18next';
import { scales } from '@/api/scaleDown';
import { kindsOf } from '@/ui/FileDrop';
import { toast } from '@/ui/toast';
import { ATTACHMENT_TYPES, MAX_FILE } from './api';

/** Takes the one attachment of a message from what was chosen, pasted or dropped; why it is not taken is said at once. */
export function useTakeFile(take: (file: File) => void): (files: readonly File[]) => boolean {
  const { t } = useTranslation('support');
  const { t: lists } = useTranslation('lists');
  return ([file, ...more]) => {
    if (!file) return false;
    if (!Object.hasOwn(ATTACHMENT_TYPES, file.type)) {
      toast.danger(lists(($) => $.file.wrongType, { kinds: kindsOf(ATTACHMENT_TYPES) }));
      return false;
    }
    if (file.size > MAX_FILE && !scales(file)) {
      toast.danger(lists(($) => $.file.tooLarge, { limit: `${MAX_FILE / 1024 / 1024} MB` }));
      return false;
    }
    take(file);
    if (more.length > 0) toast.info(t(($) => $.chat.oneFile, { name: file.name }));
    return true;
  };
}
