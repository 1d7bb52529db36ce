/** What one's own approval would come to now, as the server's rule says it: asked before the press, never guessed from an amount. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { $api } from '@/api/hooks';
import { asApiError } from '@/api/problem';
import { useLiveEvent } from '@/live/live';
import type { DecidedByTwo } from '@/live/words';
import { useMemberName } from '@/shared/network/useMemberName';

export interface ApprovalSubject {
  kind: DecidedByTwo;
  /** Of what waits; none for an order that is about to be given. */
  id?: string;
  /** Whose money an order is about. */
  customer?: string;
  /** What an order is worth; what a deposit credits where who decides says it. */
  usdt?: string;
}

/** Never asked for. */
const NOTHING: ApprovalSubject = { kind: 'transfer', id: '' };

/** The preview of a decision, kept fresh while others decide; none while there is nothing to ask. */
export function useApprovalPreview(subject: ApprovalSubject | null) {
  const preview = $api.useQuery(
    'get',
    '/admin/approvals/preview',
    { params: { query: subject ?? NOTHING } },
    { enabled: subject !== null, retry: false, staleTime: 0, refetchOnMount: 'always' },
  );
  // Whatever is decided counts in the sums of its approver and its customer.
  const again = () => void (subject && preview.refetch());
  useLiveEvent('queue.changed', again);
  useLiveEvent('decision.word_fell', again);
  useLiveEvent('pool_revenue.changed', again);
  useLiveEvent('declared_holding.changed', again);
  useLiveEvent('rules.changed', again);
  return preview;
}

interface ApprovalEffectProps {
  subject: ApprovalSubject | null;
  /** What happens at once when no other person has to agree. */
  once: ReactNode;
}

/** Said before the press: it takes effect at once, or another person has to agree; and who has already. */
export function ApprovalEffect({ subject, once }: ApprovalEffectProps) {
  const { t } = useTranslation('shell');
  const { data, error, isPending, isError } = useApprovalPreview(subject);
  const problem = isError ? asApiError(error) : null;
  const nameOf = useMemberName();
  const given = data?.given.map(({ username }) => nameOf(username)).join(', ');
  return (
    <div data-testid="approval-effect" aria-live="polite">
      {problem && !problem.unavailable && problem.status !== 404 ? (
        // Decided meanwhile, or one's own approval is there already.
        problem.message
      ) : subject === null || isError ? (
        t(($) => $.approval.unknown)
      ) : isPending ? (
        t(($) => $.approval.asking)
      ) : data.completes ? (
        <>
          {given && <span>{`${t(($) => $.approval.last, { given })} `}</span>}
          <span>{once}</span>
        </>
      ) : (
        t(($) => $.approval.second, { needed: data.needed })
      )}
    </div>
  );
}
