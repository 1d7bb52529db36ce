/** Above everything while somebody else's account is looked at: whose it is, why, how long still, and the end. What would send is off. */
import { Button, Group, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { lookOver } from '@/api/look';
import { mutation } from '@/api/mutation';
import { useUser } from '@/api/session';
import { Countdown } from '@/ui/Countdown';
import { usePress } from '@/ui/usePress';
import classes from './LookBar.module.css';

const end = mutation({
  send: (id: string) => api.DELETE('/admin/user/{id}/look', { params: { path: { id } } }),
  changes: [],
});

/** A quarter of an hour. */
const LIFE_MS = 15 * 60_000;

export default function LookBar() {
  const { t } = useTranslation();
  const user = useUser();
  const { busy, run } = usePress(end, lookOver);
  const refused = t(($) => $.look.refused);
  useEffect(() => sendingOff(refused), [refused]);
  const look = user?.look;
  return (
    <section className={classes.bar} aria-label={t(($) => $.look.label)} data-testid="look-bar">
      <IconEye size={18} aria-hidden className={classes.icon} />
      {user && look && (
        <>
          <div className={classes.text}>
            <Text fz="sm" fw={650} truncate>
              <span>{t(($) => $.look.whose)}</span>{' '}
              <span translate="no">{`${user.fullName} · @${user.username}`}</span>
            </Text>
            <Text fz={12} truncate title={look.reason}>
              <span>{t(($) => $.look.why)}</span> <span>{look.reason}</span>
            </Text>
          </div>
          <Group gap="xs" wrap="nowrap">
            <Countdown until={look.until} totalMs={LIFE_MS} onEnd={lookOver} />
            <Button size="compact-sm" variant="default" loading={busy} onClick={() => void run(user._id)}>
              {t(($) => $.look.end)}
            </Button>
          </Group>
        </>
      )}
    </section>
  );
}

/** Whatever sends a form says why it does not; what is pressed without one is refused where it would be sent. */
function sendingOff(reason: string): () => void {
  const mark = () => {
    for (const button of document.querySelectorAll('form button[type="submit"]:not([data-look-off])')) {
      button.setAttribute('data-look-off', '');
      button.setAttribute('aria-disabled', 'true');
      button.setAttribute('aria-description', reason);
      button.setAttribute('title', reason);
    }
  };
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  mark();
  const watch = new MutationObserver(mark);
  watch.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('submit', stop, { capture: true });
  return () => {
    watch.disconnect();
    document.removeEventListener('submit', stop, { capture: true });
  };
}
