import { MantineProvider } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { RouterProvider } from 'react-router/dom';
import { loadConfig } from '@/api/config';
import { isLook, useLook } from '@/api/look';
import { loadPatiently } from './loadPage';
import { router } from './router';
import { ShutGate } from './ShutGate';
import { cssVariables, theme } from './theme';

/** Needed only after the first paint. */
const OfflineBanner = lazy(() => loadPatiently(() => import('./OfflineBanner')));
const Toaster = lazy(() => loadPatiently(() => import('@/ui/Toaster')));
/** Of a tab in which somebody else's account is looked at, and of no other. */
const LookBar = lazy(() => loadPatiently(() => import('./LookBar')));
const LookOver = lazy(() => loadPatiently(() => import('./LookOver')));
if (isLook) document.documentElement.dataset.look = '';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The scroll lock of dialogs writes a style tag of its own and looks for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export function App() {
  const over = useLook((state) => state.over);
  useEffect(() => void loadConfig(), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="dark"
      getStyleNonce={() => nonce}
    >
      {over ? (
        <Suspense>
          <LookOver />
        </Suspense>
      ) : (
        <>
          {isLook && (
            <Suspense>
              <LookBar />
            </Suspense>
          )}
          <RouterProvider router={router} />
        </>
      )}
      <ShutGate />
      <Suspense>
        <OfflineBanner />
      </Suspense>
      <Suspense>
        <Toaster />
      </Suspense>
    </MantineProvider>
  );
}
