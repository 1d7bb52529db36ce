/** The room's types and caches. */
import type { Schemas } from '@/api/client';
import { queryClient } from '@/api/queryClient';
import { compare, multiply, subtract, truncate } from '@/ui/money';

export type Round = Schemas['PresaleRound'];
export type Rounds = Schemas['PresaleRounds'];
export type Holdings = Schemas['PresaleHoldings'];
export type Market = Schemas['PyxMarket'];
export type Book = Schemas['PyxBook'];
export type Level = Schemas['PyxLevel'];
export type Order = Schemas['PyxOrderView'];
export type Trade = Schemas['PyxTradeView'];
export type StaffRound = Schemas['PresaleRoundRow'];
export type Side = Order['side'];
export const STATUSES: readonly Order['status'][] = ['open', 'filled', 'cancelled'];

const again = (...paths: string[]) =>
  Promise.allSettled(paths.map((path) => queryClient.invalidateQueries({ queryKey: ['get', path] })));

export const refetchPresale = () => again('/presale/rounds', '/presale/holdings', '/outbound-state');
export const refetchOrders = () => again('/orders', '/outbound-state');
export const refetchMarket = () => again('/orders/book', '/orders/trades', '/presale/price-history');
export const refetchStaff = () => again('/admin/presale/rounds', '/presale/rounds');

/** What a value buys: floored, as the server counts. */
export function bought(value: string, price: string): string {
  const scale = 1_000_000n;
  const units = (text: string) => BigInt(truncate(text, 6).replace('.', ''));
  const divisor = units(price);
  if (divisor <= 0n) return '0.000000';
  const pyx = ((units(value) * scale) / divisor).toString().padStart(7, '0');
  return `${pyx.slice(0, -6)}.${pyx.slice(-6)}`;
}

/** What a quantity costs at a price; exact for whole ticks and lots. */
export const total = (quantity: string, price: string): string => multiply(quantity, price, 6, 'down');

/** The largest whole number of lots that money buys at a price. */
export function most(money: string, price: string, lot: string): string {
  const hundredths = bought(money, price);
  return truncate(hundredths, lot.split('.')[1]?.replace(/0+$/, '').length ?? 2);
}

/** Whether a number is a whole number of steps ("0.0001", "0.01"). */
export function onStep(value: string, step: string): boolean {
  const digits = step.replace(/0+$/, '').split('.')[1]?.length ?? 0;
  return compare(value, truncate(value, digits)) === 0;
}

/** What is left of an order. */
export const rest = (order: Order): string => subtract(order.quantity, order.filled);
