// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { i18n, i18nReady } from './index';

test('what people wrote is filled into a text, and never filled itself', async () => {
  await i18nReady;
  i18n.addResource('pt', 'common', 'probe', '{{name}}: {{subject}} / {{name}}');
  const name = '{{subject}} $t(actions.close) {name}';
  const said = (i18n.t as (key: string, values: object) => string)('probe', {
    name,
    subject: 'Erro em {{name}}',
  });
  expect(said).toBe(`${name}: Erro em {{name}} / ${name}`);
});
