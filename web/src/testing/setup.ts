import type {} from '@testing-library/jest-dom/vitest';
import { afterEach } from 'vitest';

// What has no window needs nothing of all this, and much of it to be loaded.
if (typeof window !== 'undefined') {
  await import('@testing-library/jest-dom/vitest');
  const { cleanup, configure } = await import('@testing-library/react');
  const { clearToasts } = await import('@/ui/toast');
  afterEach(() => {
    cleanup();
    // What one test says is no other's.
    clearToasts();
  });
  // The library's own patience of a second is not enough on cores that are shared with the server's tests.
  configure({ asyncUtilTimeout: 20_000 });
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
