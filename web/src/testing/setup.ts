import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

if (typeof window !== 'undefined') {
  // jsdom lacks these; Mantine asks for them while rendering.
  window.matchMedia ??= (media) =>
    ({
      matches: false,
      media,
      onchange: null,
      addEventListener() {},
      removeEventListener() {},
      addListener() {},
      removeListener() {},
      dispatchEvent: () => false,
    }) as MediaQueryList;
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.HTMLElement.prototype.scrollIntoView ??= () => {};
  if (!document.fonts)
    Object.defineProperty(document, 'fonts', { value: { addEventListener() {}, removeEventListener() {} } });
}
