import { ProfileError } from '@/api/problem';
import { type Me, reloadUser } from '@/api/session';
import { i18n } from '@/i18n';
import { toast } from '@/ui/toast';

/** The profile anew, after a change of it that stands: where that fails, the change has not. */
export const reread = (): Promise<Me | null> =>
  reloadUser().catch((error) => {
    if (error instanceof ProfileError) toast.danger(i18n.t(($) => $.error.profile));
    return null;
  });
