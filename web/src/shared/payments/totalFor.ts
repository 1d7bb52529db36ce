import { add, multiply } from '@/ui/money';

/** What is to be sent so that a plain deposit credits this much: the value, 1 USDT and 4 % of it [docs/rules/wallet.md#intents], up to the cent. */
export const totalFor = (value: string): string => add(multiply(value, '1.04', 2, 'up'), '1');
