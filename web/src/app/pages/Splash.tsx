import { useTranslation } from 'react-i18next';
import classes from './plain.module.css';

/** Before the first screen is there. */
export function Splash() {
  const { t } = useTranslation();
  return (
    <div className={classes.screen} role="status" aria-label={t(($) => $.loading)}>
      <span className={classes.spinner} />
    </div>
  );
}
