import { $api } from '@/api/hooks';

export const useResults = () => $api.useQuery('get', '/dashboard/my-results');
