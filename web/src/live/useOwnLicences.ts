import { useQuery } from '@tanstack/react-query';
import { LIST } from './licences';
import { loadLicences } from './licencesLive';

/** Loads one's own licences into the store; screens read them from there, so that facts show at once. */
export const useOwnLicences = () => useQuery({ queryKey: [...LIST, 'all'], queryFn: loadLicences });
