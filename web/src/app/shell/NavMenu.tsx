import { Badge, Box } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useSession } from '@/api/session';
import { useCounters } from '@/live/counters';
import { useWaits } from '@/live/waiting';
import { plainList } from '@/ui/plainList';
import { isHere, type MenuEntry, menuFor } from './menu';
import classes from './Shell.module.css';

export function NavMenu({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation('shell');
  const ability = useSession((state) => state.ability);
  const groups = menuFor((subject) => ability?.can('read', subject) ?? false);
  const waits = useWaits();
  return (
    <>
      {groups.map((group) => (
        <div key={group.text}>
          <div className={classes.groupLabel} id={`menu-${group.text}`}>
            {t(($) => $.menu.groups[group.text])}
          </div>
          <Box component="ul" {...plainList} aria-labelledby={`menu-${group.text}`}>
            {group.entries.map((entry) => (
              <li key={entry.to}>
                <Entry entry={entry} waits={waits(entry.to)} onNavigate={onNavigate} />
              </li>
            ))}
          </Box>
        </div>
      ))}
    </>
  );
}

interface EntryProps {
  entry: MenuEntry;
  /** How many decisions wait on its page. */
  waits: number;
  onNavigate: () => void;
}

function Entry({ entry, waits, onNavigate }: EntryProps) {
  const { t } = useTranslation('shell');
  const here = isHere(entry.to, useLocation());
  const count = useCounters((state) => (entry.counter ? (state[entry.counter] ?? 0) : waits));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // The menu is longer than most windows: one sees where one is.
    if (here) link.current?.scrollIntoView({ block: 'nearest' });
  }, [here]);
  return (
    <Link
      ref={link}
      to={entry.to}
      aria-current={here ? 'page' : undefined}
      className={classes.link ?? ''}
      onClick={onNavigate}
    >
      <entry.icon size={19} stroke={1.7} aria-hidden />
      <span style={{ flex: 1 }}>{t(($) => $.menu.entries[entry.text])}</span>
      {count > 0 &&
        (entry.dot ? (
          <>
            <span className={classes.dot} aria-hidden />
            <span className="sr-only">{t(($) => $.menu.running, { count })}</span>
          </>
        ) : (
          <Badge size="sm" color="gold" variant="light" className="num">
            <span>{count > 99 ? '99+' : count}</span>
            <span className="sr-only">
              {' '}
              <span>{t(($) => $.menu.waiting, { count })}</span>
            </span>
          </Badge>
        ))}
    </Link>
  );
}
