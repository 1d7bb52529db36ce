// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { i18n, i18nReady } from '@/i18n';
import { show } from '@/testing/render';
import { EventAmount } from './event';

const shown = async (amount: string, more: { moved?: string; pyx?: string } = {}, digits: 2 | 4 = 2) => {
  await i18nReady;
  await i18n.loadNamespaces(['statement']);
  const { container, unmount } = await show(
    <EventAmount event={{ kind: 'bonus', amount, moved: null, pyx: null, ...more }} digits={digits} />,
  );
  const text = [...container.querySelectorAll('[data-value]')].map((one) => one.textContent).join(' ');
  unmount();
  return text;
};

test('two decimals, cut; what is there is never written as nothing', async () => {
  expect(await shown('12.349900')).toBe('+12,34\u00a0USDT');
  expect(await shown('0.010000')).toBe('+0,01\u00a0USDT');
  expect(await shown('0.009999')).toBe('+0,009999\u00a0USDT');
  expect(await shown('0.003000')).toBe('+0,003\u00a0USDT');
  expect(await shown('-0.000001')).toBe('-0,000001\u00a0USDT');
  expect(await shown('0.000050', {}, 4)).toBe('+0,00005\u00a0USDT');
  expect(await shown('0.000000')).toBe('0,00\u00a0USDT');
  expect(await shown('0.000000', { moved: '0.004200' })).toBe('0,0042\u00a0USDT');
  expect(await shown('0.000000', { pyx: '0.000012' })).toBe('+0,000012\u00a0PYX');
});
