import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayRead, useUser } from '@/api/session';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { Countdown } from '@/ui/Countdown';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { plainList } from '@/ui/plainList';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { Items } from './Items';
import { type Change, decideChange, useRules } from './rules';

const DAY = 86_400_000;

/** Changes that wait: for a second person, or for their hour. */
export function Waiting({ changes }: { changes: readonly Change[] }) {
  const { t } = useTranslation('rules');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const me = useUser()?.username;
  const kindOf = useKindOf();
  const may = mayRead('admin_permissions');
  const [asking, setAsking] = useState<{ change: Change; what: 'agree' | 'withdraw' } | null>(null);
  return (
    <Card component="section" aria-labelledby="waiting-rules">
      <Title order={2} fz={17} mb="md" id="waiting-rules">
        {t(($) => $.waiting.title)}
      </Title>
      <Stack component="ul" gap="md" {...plainList}>
        {changes.map((change) => (
          <Group component="li" key={change._id} justify="space-between" align="start" gap="md">
            <div style={{ flex: '1 1 280px', minWidth: 0 }}>
              <Items change={change} kindOf={kindOf} />
              <Text fz="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
                {change.reason}
              </Text>
              <Text fz={12.5} c="dimmed" component="div">
                <span>{t(($) => $.waiting.by)}</span> <PersonHandle username={change.orderedBy} /> ·{' '}
                <When at={change.created_at} relative />
              </Text>
            </div>
            <Stack gap={6} align="flex-end">
              <Badge
                color={change.status === 'waiting' ? 'gold' : 'blue'}
                variant="light"
                leftSection={<IconHourglass size={14} aria-hidden />}
              >
                {change.status === 'waiting' ? t(($) => $.waiting.second) : t(($) => $.waiting.agreed)}
              </Badge>
              {change.status === 'agreed' && change.effectiveAt && (
                <Text fz={12.5} c="dimmed" component="div">
                  <span>{t(($) => $.waiting.from, { at: format.dateTime(change.effectiveAt) })}</span>{' '}
                  <Countdown until={change.effectiveAt} totalMs={DAY} />
                </Text>
              )}
              {may && change.status === 'waiting' && change.orderedBy !== me && (
                <OwnWord subject={{ kind: 'money_settings', id: change._id }} />
              )}
              {may && (
                <Group gap={6}>
                  {change.status === 'waiting' && (
                    <GuardedButton
                      size="compact-sm"
                      allowed={change.orderedBy !== me}
                      reason={t(($) => $.waiting.own)}
                      onClick={() => setAsking({ change, what: 'agree' })}
                    >
                      {t(($) => $.waiting.agree)}
                    </GuardedButton>
                  )}
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => setAsking({ change, what: 'withdraw' })}
                  >
                    {t(($) => $.waiting.withdraw)}
                  </Button>
                </Group>
              )}
            </Stack>
          </Group>
        ))}
      </Stack>
      {asking && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(null)}
          title={t(($) => $.waiting.confirm[asking.what])}
          facts={[
            { label: t(($) => $.waiting.change), value: <Items change={asking.change} kindOf={kindOf} /> },
            { label: t(($) => $.reason), value: asking.change.reason },
            { label: t(($) => $.waiting.author), value: <MemberName username={asking.change.orderedBy} /> },
          ]}
          consequence={
            asking.what === 'withdraw'
              ? undefined
              : asking.change.kind === 'plan'
                ? t(($) => $.waiting.atOnce)
                : t(($) => $.waiting.aDayLater)
          }
          confirmLabel={t(($) => $.waiting[asking.what])}
          danger={asking.what === 'withdraw'}
          {...(asking.what === 'withdraw' && { reason: { label: t(($) => $.reason), required: true } })}
          onConfirm={async ({ reason }) => {
            const { change, what } = asking;
            const after = await decideChange({
              id: change._id,
              ...(what === 'agree' ? { what } : { what, reason }),
            });
            if (after.status === 'waiting') toast.info(shell(($) => $.word.half));
            else toast.success(t(($) => $.waiting.done[what]));
            setAsking(null);
          }}
        />
      )}
    </Card>
  );
}

/** The kind of each setting, by its key. */
export function useKindOf() {
  const rules = useRules();
  const kinds = new Map(rules.data?.settings.map(({ key, kind }) => [key, kind]));
  return (key: string) => kinds.get(key) ?? ('text' as const);
}
