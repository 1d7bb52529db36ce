import '@fontsource-variable/inter/wght.css';
import './app/mantine.css';
import './app/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { httpsTarget } from './app/https';
import { i18nReady } from './i18n';

const secure = httpsTarget(location);
if (secure !== null) location.replace(secure);
else {
  const root = document.getElementById('root');
  if (!root) throw new Error('#root is missing');
  await i18nReady;
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
