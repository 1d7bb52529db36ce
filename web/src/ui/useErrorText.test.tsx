// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError, ProfileError } from '@/api/problem';
import { show } from '@/testing/render';
import { useErrorText, useSaveText } from './useErrorText';

function Said({ error }: { error: unknown }) {
  return (
    <>
      <p data-testid="call">{useErrorText()(error)}</p>
      <p data-testid="save">{useSaveText()(error)}</p>
    </>
  );
}
const said = async (error: unknown, locale: 'pt' | 'en' | 'es' = 'pt') => {
  const { unmount } = await show(<Said error={error} />, { locale });
  const texts = ['call', 'save'].map((place) => screen.getByTestId(place).textContent);
  unmount();
  return texts;
};

test('what the server gave a reason for is that reason; without one it is said that nothing was saved', async () => {
  const wrong = new ApiError(422, { code: 'code.wrong', message: 'Código incorreto.' });
  expect(await said(wrong)).toEqual(['Código incorreto.', 'Código incorreto.']);
  const down = new ApiError(503, { code: 'service.unavailable', message: 'Serviço indisponível.' });
  expect(await said(down)).toEqual(['Serviço indisponível.', 'Erro ao salvar. Serviço indisponível.']);
  expect((await said(new ApiError(502, {})))[1]).toBe('Erro ao salvar.');
  const cut = 'Sem resposta do servidor. Confira sua conexão.';
  expect(await said(new TypeError('Failed to fetch'))).toEqual([cut, `Erro ao salvar. ${cut}`]);
});

test('speaks the language of the reader', async () => {
  const down = new ApiError(502, {});
  expect((await said(down, 'en'))[1]).toBe('Could not save.');
  expect((await said(down, 'es'))[1]).toBe('Error al guardar.');
});

test("one's own profile that could not be fetched is no failed save", async () => {
  const failed = 'Erro ao buscar dados do usuário';
  expect(await said(new ProfileError(new ApiError(0, { code: 'network' })))).toEqual([failed, failed]);
});
