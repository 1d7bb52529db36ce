/** `$api.useQuery('get', '/sessions')` and friends: keys, types and errors follow from the path. Apart from the client, so that
 *  the public screens do not load what only lists need. */
import createQueryHooks from 'openapi-react-query';
import { api } from './client';

export const $api = createQueryHooks(api);
