/** The types of bonus that a report is narrowed by, as its call names them. */
import type { BonusKind } from '@/shared/network/bonusKinds';

const LEVELS = Array.from({ length: 10 }, (_, n) => n + 1);

export interface BonusType {
  value: string;
  kind: BonusKind;
  level: number;
}

export const BONUS_TYPES: readonly BonusType[] = [
  { value: 'level', kind: 'level', level: 0 },
  ...LEVELS.map((level) => ({ value: `level_${level}`, kind: 'level' as const, level })),
  { value: 'direct_sale', kind: 'direct_sale', level: 0 },
  { value: 'indirect_sale', kind: 'indirect_sale', level: 0 },
  { value: 'residual', kind: 'residual', level: 0 },
  { value: 'binary', kind: 'binary', level: 0 },
];
