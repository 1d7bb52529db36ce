import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import type { Schemas } from '@/api/client';
import { QUEUES } from '@/api/queues';
import { mayRead } from '@/api/session';
import { toast } from '@/ui/toast';

/** After a change: done, or asked for and waiting for a second person; who may decide is led to where it waits. */
export function useAsked() {
  const { t } = useTranslation('people');
  const navigate = useNavigate();
  return (request: Schemas['AdminGrantView'] | null | undefined, done: string) => {
    if (!request) return toast.success(done);
    toast.info(t(($) => $.two.asked));
    if (mayRead(QUEUES.grants.permission)) void navigate(QUEUES.grants.screen);
  };
}
