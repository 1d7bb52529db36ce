import { $api } from '@/api/hooks';
import { useBalances } from '@/live/balances';
import { useLicences } from '@/live/licences';
import { sum } from '@/ui/money';

const OF_LICENCES = ['topup', 'allocated', 'yield', 'loan'] as const;
const OF_PERSON = ['available', 'held', 'bonus', 'sponsored', 'debt'] as const;

/** What one owns this moment. Which accounts it adds up is the server's word; facts move them, and before any is known the server's own sum
 *  stands. */
export function useTotal(): string | undefined {
  const first = $api.useQuery('get', '/dashboard/my-results').data?.myResults;
  const balances = useBalances();
  const licences = Object.values(useLicences((book) => book.byId));
  if (!first) return undefined;
  const parts = first.totalAccounts.map((account) => {
    if (account === 'pool_principal') return first.pools;
    const licence = OF_LICENCES.find((name) => name === account);
    if (licence) return sum(licences.map((one) => one[licence]));
    const own = OF_PERSON.find((name) => name === account);
    return (own && balances[own]?.balance) ?? '0';
  });
  return Object.keys(balances).length === 0 ? first.total : sum(parts);
}
