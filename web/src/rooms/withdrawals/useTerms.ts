import { $api } from '@/api/hooks';

/** What withdrawals cost, how long their link is good, and in which coins they are paid: rules that staff tune. */
export const useTerms = () => $api.useQuery('get', '/withdraw/terms');
