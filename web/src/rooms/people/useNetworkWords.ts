import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

/** The network's words that stand beside a person. */
export function useNetworkWords() {
  const { t } = useTranslation('affiliates');
  const { t: shell } = useTranslation('shell');
  return {
    rank: (rank: Schemas['Rank']) => shell(($) => $.ranks[rank]),
    leg: (leg: Schemas['Leg']) => t(($) => $.legs[leg]),
    need: (need: Schemas['BinaryNeed']) => t(($) => $.needs[need]),
  };
}
