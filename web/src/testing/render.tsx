import { MantineProvider } from '@mantine/core';
import { type RenderResult, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { theme } from '@/app/theme';
import { i18n, i18nReady } from '@/i18n';
import type { Locale } from '@/i18n/locales';

/** Renders inside what every screen stands in: theme, texts, a router. */
export async function show(
  children: ReactNode,
  { path = '/', locale = 'pt' as Locale } = {},
): Promise<RenderResult> {
  await i18nReady;
  if (i18n.language !== locale) await i18n.changeLanguage(locale);
  await i18n.loadNamespaces(['common', 'identity', 'lists', 'shell']);
  const router = createMemoryRouter([{ path: '*', element: children }], { initialEntries: [path] });
  return render(
    <MantineProvider theme={theme} env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
}
