// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClient } from '@/api/queryClient';
import { useWallet } from './useWallet';

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

test('the wallet is opened once, whatever asks for all again', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json({ address: '0x52908400098527886E0F7030069857D2E4169EE7', coins: [], swaps: false });
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result, unmount } = renderHook(() => useWallet(), { wrapper });
  await waitFor(() => expect(result.current.data?.coins).toEqual([]));
  // After a gap of the live connection.
  await queryClient.invalidateQueries();
  unmount();
  renderHook(() => useWallet(), { wrapper });
  expect(asked).toEqual(['POST /api/web3/wallet']);
});
