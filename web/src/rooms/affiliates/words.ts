/** The network's words in the reader's language. */
import { useTranslation } from 'react-i18next';
import { type BonusKind, useBonusName } from '@/shared/network/bonusKinds';
import { useFormat } from '@/ui/format';
import { compare, truncate } from '@/ui/money';
import type { BinaryNeed, Leg, LostReason, Rank } from './network';

export function useWords() {
  const { t } = useTranslation('affiliates');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const bonus = useBonusName();
  return {
    rank: (rank: Rank) => shell(($) => $.ranks[rank]),
    leg: (leg: Leg) => t(($) => $.legs[leg]),
    need: (need: BinaryNeed) => t(($) => $.needs[need]),
    /** Why something was not earned. */
    lost: (reason: LostReason) => t(($) => $.lost[reason]),
    /** What it takes to earn it the next time. */
    cure: (reason: LostReason) => t(($) => $.cures[reason]),
    kind: (kind: BonusKind) => bonus({ kind }),
    /** With its level, where it has one. */
    bonus,
    /** Whole points without decimals. */
    points: (value: string) => format.decimal(value, compare(value, truncate(value, 0)) === 0 ? 0 : 2),
  };
}
