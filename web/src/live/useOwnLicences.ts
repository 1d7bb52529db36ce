/** Loads one's own licences into the store; screens read them from there, so that facts show at once. */
import { useQuery } from '@tanstack/react-query';
import { OWN_LICENCES } from './licencesLive';

export const useOwnLicences = () => useQuery(OWN_LICENCES);
