import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { i18n } from '@/i18n';

const dark: MantineColorsTuple = [
  '#e8ecf2',
  '#c5ccd8',
  '#94a0b2',
  '#667184',
  '#262f3c',
  '#1c242f',
  '#131a23',
  '#0b1016',
  '#080c11',
  '#05080b',
];

const mint: MantineColorsTuple = [
  '#e5fdf4',
  '#cdf7e6',
  '#9cefcd',
  '#66e6b2',
  '#3bde9b',
  '#1fd58b',
  '#0dbf7a',
  '#067a4e',
  '#05623f',
  '#024a2f',
];

const gold: MantineColorsTuple = [
  '#fff8e2',
  '#fdeecb',
  '#fadc99',
  '#f6c863',
  '#f3b837',
  '#f1ae1c',
  '#d8980b',
  '#8a5f00',
  '#6f4c00',
  '#523700',
];

/** autoContrast looks at the light shade only; the primary contrast variable is set for each scheme. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const primary = !input.color || input.color === input.theme.primaryColor;
  return input.variant === 'filled' && primary
    ? { ...colors, color: 'var(--mantine-primary-color-contrast)' }
    : colors;
};

/** A menu stands inside the page's main part, as everything that is no dialog does, and holds nothing but its items. */
const menuProps = () => ({
  withInitialFocusPlaceholder: false,
  ...(document.getElementById('content') && { portalProps: { target: '#content' } }),
});

/** A dialog's title bar is a `<header>`, which would pass for the page's banner; its cross needs a name in the language of now. */
const dialogProps = () => ({
  attributes: { header: { role: 'presentation' } },
  closeButtonProps: { 'aria-label': i18n.t(($) => $.actions.close) },
});

export const theme = createTheme({
  respectReducedMotion: true,
  variantColorResolver,
  primaryColor: 'mint',
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  luminanceThreshold: 0.32,
  colors: { dark, mint, gold },
  fontFamily: "'Inter Variable', Inter, system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, monospace',
  headings: { fontFamily: "'Inter Variable', Inter, system-ui, sans-serif", fontWeight: '650' },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '10px', lg: '14px', xl: '20px' },
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    // Plain objects: Component.extend() would pull every themed component into the entry chunk.
    Card: { defaultProps: { radius: 'lg', padding: 'lg', withBorder: true } },
    // A word that says how something stands is never cut: what holds it makes room.
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600, miw: 'max-content' } },
    Menu: { defaultProps: menuProps },
    Modal: { defaultProps: dialogProps },
    Drawer: { defaultProps: dialogProps },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--shell-nav-width': '256px' },
  dark: {
    '--mantine-color-body': '#0b1016',
    '--mantine-color-default-border': 'rgba(148, 163, 184, 0.13)',
    '--mantine-color-default': '#131a23',
    '--mantine-color-default-hover': '#18212c',
    '--mantine-color-dimmed': '#94a0b2',
    '--surface': '#111821',
    '--surface-2': '#0e141c',
    '--up': '#1fd58b',
    '--nav-text': '#d5dbe4',
    '--gold-text': '#f6c863',
    '--gold-dot': '#f1ae1c',
    '--down': '#ff6b78',
    '--mantine-color-mint-light': 'rgba(31, 213, 139, 0.13)',
    '--mantine-color-mint-light-color': '#4be3a6',
    '--mantine-color-gold-light': 'rgba(241, 174, 28, 0.14)',
    '--mantine-color-gold-light-color': '#f6c863',
    '--mantine-color-gray-light': 'rgba(148, 163, 184, 0.14)',
    '--mantine-color-gray-light-color': '#b6c0cf',
    '--mantine-color-anchor': '#4be3a6',
    '--mantine-color-error': '#ff7b86',
    // White on it must be readable: the palette's own shades are not, in either skin.
    '--mantine-color-red-filled': '#d6303d',
    '--mantine-color-red-filled-hover': '#bd2733',
    '--mantine-color-red-light': 'rgba(255, 107, 120, 0.13)',
    '--mantine-color-red-light-color': '#ffa0a8',
    '--mantine-color-blue-light': 'rgba(77, 148, 255, 0.15)',
    '--mantine-color-blue-light-color': '#8cc4ff',
  },
  light: {
    '--mantine-color-body': '#f4f6f9',
    '--mantine-color-default-border': '#dfe4ec',
    '--mantine-color-dimmed': '#536075',
    '--surface': '#ffffff',
    '--surface-2': '#fbfcfe',
    '--up': '#067a4e',
    '--nav-text': '#313b4a',
    '--gold-text': '#7a5300',
    '--gold-dot': '#b97f00',
    '--down': '#c92a3a',
    '--mantine-color-error': '#c92a3a',
    '--mantine-color-red-filled': '#c92a3a',
    '--mantine-color-red-filled-hover': '#ad2331',
    '--mantine-color-red-light-color': '#a31525',
    '--mantine-color-blue-light-color': '#134f8c',
    '--mantine-color-gold-light-color': '#5c4000',
  },
});
