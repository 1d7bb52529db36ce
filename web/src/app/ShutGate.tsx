/** Lies over everything while the tab is shut: what is below stays as it is, unseen and out of reach. */
import { lazy, Suspense, useLayoutEffect, useRef } from 'react';
import { isShut, useShut } from '@/api/tab';
import { i18n } from '@/i18n';
import { loadPatiently } from './loadPage';
import { Splash } from './pages/Splash';
import classes from './ShutGate.module.css';

const ShutTab = lazy(() =>
  loadPatiently(async () => {
    const [page] = await Promise.all([
      import('@/rooms/identity/ShutTab'),
      i18n.loadNamespaces(['identity', 'login']),
    ]);
    return page;
  }),
);

// Before any dialog listens: a key pressed here closes nothing below and leads nowhere.
window.addEventListener(
  'keydown',
  (event) => {
    if (!isShut()) return;
    const typing = event.target instanceof HTMLInputElement && !event.ctrlKey && !event.metaKey;
    if (event.key === 'Escape') event.preventDefault();
    else if (typing) return;
    event.stopImmediatePropagation();
  },
  { capture: true },
);

export function ShutGate() {
  const shut = useShut((state) => state.shut !== null);
  return shut && <Gate />;
}

function Gate() {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  };
  // In the top layer, above dialogs and toasts wherever they stand.
  useLayoutEffect(show);
  // Closed, not only taken away: the focus goes back to where it was.
  useLayoutEffect(() => {
    const { current } = dialog;
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} className={classes.gate} aria-labelledby="shut-title" onClose={show}>
      <Suspense fallback={<Splash />}>
        <ShutTab />
      </Suspense>
    </dialog>
  );
}
