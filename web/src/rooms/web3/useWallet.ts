import { $api } from '@/api/hooks';

/** One's own wallet. Opening it makes it, the first time; it never changes afterwards, so that whatever asks for all again after a gap does
 *  not open it a second time. */
export const useWallet = () => $api.useQuery('post', '/web3/wallet', {}, { staleTime: 'static' });
