// @vitest-environment jsdom
import { beforeAll, expect, test } from 'vitest';
import { i18n, i18nReady } from '@/i18n';
import { notificationText } from './text';

beforeAll(async () => {
  await i18nReady;
  await i18n.loadNamespaces(['shell', 'notifications']);
});

test.each([
  ['pt', 'Duplo Diamante'],
  ['en', 'Double Diamond'],
  ['es', 'Doble Diamante'],
])('a rank is told by its name: %s', async (locale, name) => {
  await i18n.changeLanguage(locale);
  const params = { rank: 'double_diamond', usdt: '600.000000', day: '2026-11-24' };
  expect(notificationText('rank_reached', params)).toContain(name);
  const both = notificationText('closing_booked_rank', params);
  expect(both).toContain(name);
  expect(both).toMatch(/600[.,]00/);
  await i18n.changeLanguage('pt');
});

test.each(['pt', 'en', 'es'])(
  'an announcement is told by its title in the language of now: %s',
  async (locale) => {
    await i18n.changeLanguage(locale);
    const title = { pt: 'Manutenção', en: 'Maintenance', es: 'Mantenimiento' };
    expect(notificationText('announcement', { announcement: 'x', title })).toContain(title[locale as 'pt']);
    await i18n.changeLanguage('pt');
  },
);

test.each([
  ['pt', 'teto diário'],
  ['en', 'daily cap'],
  ['es', 'tope diario'],
])('a lost bonus is told with its reason: %s', async (locale, reason) => {
  await i18n.changeLanguage(locale);
  const text = notificationText('closing_binary_lost', { usdt: '50.000000', lost: 'daily_cap' });
  expect(text).toContain(reason);
  await i18n.changeLanguage('pt');
});

test('a sum below a cent is told with its own digits: what is there is never written as nothing', () => {
  expect(notificationText('closing_residual', { usdt: '0.000277' })).toContain('0,000277');
  expect(notificationText('closing_residual', { usdt: '25.000277' })).toContain('25,00');
});
