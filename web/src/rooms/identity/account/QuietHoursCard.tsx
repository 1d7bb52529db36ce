import { Alert, Button, Group, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { TimePicker } from '@mantine/dates';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, type Schemas } from '@/api/client';
import { $api } from '@/api/hooks';
import { mutation } from '@/api/mutation';
import { queryClient } from '@/api/queryClient';
import { Section } from '@/ui/Section';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';

type Wanted = Schemas['Preferences'];
type Times = Schemas['QuietTimes'];

/** What is proposed to who has none. */
const NIGHT: Times = { from: '22:00', until: '07:00' };
const isTime = (typed: string) => /^\d\d:\d\d$/.test(typed);

const keepQuiet = mutation({
  send: (hours: Times | null) => body(api.PATCH('/notifications/quiet-hours', { body: { hours } })),
  patch: (fresh) =>
    queryClient.setQueriesData<Wanted>({ queryKey: ['get', '/notifications/preferences'] }, fresh),
  changes: ['/notifications/preferences'],
});

/** When no mail leaves that can wait, by one's own clock. */
export function QuietHoursCard() {
  const { t } = useTranslation('account');
  const { data, error } = $api.useQuery('get', '/notifications/preferences');
  // What failed is said above, where the same is asked for.
  if (error && !data) return null;
  return (
    <Section title={t(($) => $.quiet.title)} hint={t(($) => $.quiet.hint)}>
      {data ? <Hours wanted={data} /> : <Skeleton h={90} />}
    </Section>
  );
}

function Hours({ wanted }: { wanted: Wanted }) {
  const { t } = useTranslation('account');
  const saveText = useSaveText();
  const kept = wanted.quietHours ?? null;
  const [from, until] = [kept?.from, kept?.until];
  const [typed, setTyped] = useState<Times>(kept ?? NIGHT);
  // Also where another device of one's own has changed them.
  useEffect(() => {
    if (from !== undefined && until !== undefined) setTyped({ from, until });
  }, [from, until]);
  const { busy, failure, run } = useSubmit(keepQuiet, () => toast.success(t(($) => $.quiet.saved)));
  const whole = isTime(typed.from) && isTime(typed.until);
  const same = whole && typed.from === typed.until;
  const changed = typed.from !== from || typed.until !== until;
  return (
    <Stack gap="sm">
      <Switch
        label={t(($) => $.quiet.on)}
        checked={kept !== null}
        onChange={(event) => void run(event.currentTarget.checked ? NIGHT : null)}
      />
      {kept && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (whole && !same && changed) void run(typed);
          }}
        >
          <Group align="end" gap="sm">
            <Time
              label={t(($) => $.quiet.from)}
              value={typed.from}
              onChange={(next) => setTyped({ ...typed, from: next })}
            />
            <Time
              label={t(($) => $.quiet.until)}
              value={typed.until}
              onChange={(next) => setTyped({ ...typed, until: next })}
            />
            <Button type="submit" variant="default" disabled={!whole || same || !changed} loading={busy}>
              {t(($) => $.quiet.save)}
            </Button>
          </Group>
        </form>
      )}
      {kept && (
        <Text fz="sm" c={same ? 'red' : 'dimmed'} role={same ? 'alert' : undefined}>
          {same ? t(($) => $.quiet.same) : t(($) => $.quiet.zone, { zone: wanted.zone.replaceAll('_', ' ') })}
        </Text>
      )}
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {saveText(failure.error)}
        </Alert>
      )}
    </Stack>
  );
}

interface TimeProps {
  label: string;
  value: string;
  onChange: (time: string) => void;
}

function Time({ label, value, onChange }: TimeProps) {
  const { t } = useTranslation('lists');
  return (
    <TimePicker
      w={104}
      label={label}
      hoursInputLabel={t(($) => $.calendar.hours, { of: label })}
      minutesInputLabel={t(($) => $.calendar.minutes, { of: label })}
      value={value}
      onChange={(time) => onChange(time.slice(0, 5))}
    />
  );
}
