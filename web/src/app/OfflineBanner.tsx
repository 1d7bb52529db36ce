import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isOffline, useConnection } from '@/api/connection';
import { useFormat } from '@/ui/format';
import { useNow } from '@/ui/useNow';
import classes from './OfflineBanner.module.css';

/** A reconnect that takes less than this is nobody's business. */
const PATIENCE_MS = 1500;

export default function OfflineBanner() {
  const offline = useConnection(isOffline);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!offline) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [offline]);
  useEffect(() => {
    // The shell greys what may be out of date.
    document.documentElement.toggleAttribute('data-offline', shown);
  }, [shown]);
  return <div role="status">{shown && <Banner />}</div>;
}

function Banner() {
  const { t } = useTranslation();
  const { time, ago } = useFormat();
  const freshAt = useConnection((state) => state.freshAt);
  const now = useNow(5_000);
  return (
    <div className={classes.banner}>
      <strong>{t(($) => $.offline.title)}</strong>
      <span>{t(($) => $.offline.age, { time: time(freshAt), ago: ago(freshAt, now) })}</span>
    </div>
  );
}
