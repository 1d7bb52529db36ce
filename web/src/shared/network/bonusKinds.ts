/** Types of bonuses as charts and movements tell them apart. */
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';

export type BonusKind = Schemas['BonusKind'];

export const BONUS_KINDS: readonly BonusKind[] = [
  'level',
  'direct_sale',
  'indirect_sale',
  'residual',
  'binary',
];

export const BONUS_COLORS: Record<BonusKind, string> = {
  level: 'var(--up)',
  direct_sale: 'var(--gold-dot)',
  indirect_sale: 'var(--mantine-color-blue-5)',
  residual: 'var(--mantine-color-violet-5)',
  binary: 'var(--mantine-color-orange-6)',
};

export function useBonusName() {
  const { t } = useTranslation('shell');
  /** With its level, where it has one. */
  return ({ kind, level = 0 }: { kind: BonusKind; level?: number }) =>
    level > 0 && kind !== 'direct_sale'
      ? t(($) => $.bonusOfLevel, { kind: t(($) => $.bonusKinds[kind]), level })
      : t(($) => $.bonusKinds[kind]);
}
