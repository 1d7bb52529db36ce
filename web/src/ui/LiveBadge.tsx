import { Badge, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useConnection } from '@/api/connection';
import { isLook } from '@/api/look';
import classes from './badges.module.css';
import { useFormat } from './format';

/** The connection's state and since when; says nothing about the mode of what is shown. */
export function LiveBadge() {
  const { t } = useTranslation();
  const { time } = useFormat();
  const link = useConnection((state) => (state.online ? state.link : 'offline'));
  const since = useConnection((state) => state.since);
  if (isLook)
    return (
      <Tooltip label={t(($) => $.live.stillHint)}>
        <Badge color="gray" className={classes.badge} role="status">
          {t(($) => $.live.still)}
        </Badge>
      </Tooltip>
    );
  const tone = link === 'open' ? 'mint' : link === 'offline' ? 'red' : 'gold';
  const label =
    link === 'open'
      ? t(($) => $.live.open)
      : link === 'offline'
        ? t(($) => $.live.offline)
        : link === 'waiting'
          ? t(($) => $.live.waiting)
          : t(($) => $.live.connecting);
  return (
    <Tooltip label={t(($) => $.live.since, { time: time(since) })}>
      <Badge
        color={tone}
        className={classes.badge}
        role="status"
        leftSection={<span className={classes.pulse} data-on={link === 'open' || undefined} aria-hidden />}
      >
        {label}
      </Badge>
    </Tooltip>
  );
}
