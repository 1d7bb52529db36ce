import { $api } from '@/api/hooks';

/** For how long what is bought or put in now is bound: rules that staff tune. */
export const useLicenceTerms = () => $api.useQuery('get', '/licences/terms');
