import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { ChunkTimeout } from '../loadPage';
import classes from './plain.module.css';

const RELOADED = 'arbora-reloaded-at';

/** The boundary of every route: one screen that fails takes nothing else down. Made of nothing that could fail to load. */
export function RouteError() {
  const { t } = useTranslation();
  const error = useRouteError();
  const chunk = isChunkError(error);
  useEffect(() => {
    if (!chunk) return;
    const reload = () => {
      if (mayReloadByItself()) location.reload();
    };
    // Without a connection a reload would leave nothing on screen at all.
    if (navigator.onLine) reload();
    else addEventListener('online', reload, { once: true });
    return () => removeEventListener('online', reload);
  }, [chunk]);
  return (
    <div className={classes.screen} role="alert">
      <h1 className={classes.title}>{t(($) => (chunk ? $.error.chunkTitle : $.error.pageTitle))}</h1>
      <p className={classes.text}>{t(($) => (chunk ? $.error.chunkHint : $.error.pageHint))}</p>
      <div className={classes.actions}>
        <button type="button" className={classes.action} data-first onClick={() => location.reload()}>
          {t(($) => $.actions.reload)}
        </button>
        <a className={classes.action} href="/">
          {t(($) => $.actions.home)}
        </a>
      </div>
    </div>
  );
}

export function isChunkError(error: unknown): boolean {
  if (isRouteErrorResponse(error)) return false;
  return (
    error instanceof ChunkTimeout ||
    (error instanceof Error &&
      /dynamically imported module|module script failed|Unable to preload|ChunkLoadError/i.test(
        error.message,
      ))
  );
}

/** After a deployment the old chunks are gone; one reload by itself brings the new ones, a second one would be a loop. */
function mayReloadByItself(): boolean {
  try {
    const before = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - before < 60_000) return false;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}
