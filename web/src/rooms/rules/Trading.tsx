import { Alert, Button, Card, Code, Group, List, Text, Title } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayRead, useUser } from '@/api/session';
import { OwnWord } from '@/shared/decisions/TakeBack';
import { MemberName } from '@/shared/network/MemberName';
import { PersonHandle } from '@/shared/people/PersonCell';
import { ModeBadge } from '@/shared/results/ModeBadge';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { useFormat } from '@/ui/format';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { When } from '@/ui/When';
import { Residues } from './Residues';
import { askTrading, type Trading as State, turnTrading, useFeeds, useTrading } from './rules';

/** What has to be typed, in every language. */
const WORD = 'REAL';

type Deed = 'ask' | 'confirm' | 'off';

/** Whether operations go to a real venue; one person asks, a second one switches it on, anyone switches it off. */
export function Trading() {
  const trading = useTrading();
  return trading.data ? <TradingCard state={trading.data} /> : null;
}

function TradingCard({ state }: { state: State }) {
  const { t } = useTranslation('rules');
  const { t: shell } = useTranslation('shell');
  const format = useFormat();
  const me = useUser()?._id;
  // Where no desk runs there is no mode.
  const mode = useFeeds().data?.mode;
  const may = mayRead('admin_permissions');
  const [asking, setAsking] = useState<Deed | null>(null);
  /** The request on which the dialog was opened. */
  const [seen, setSeen] = useState('');
  const last = state.switch;
  const open = last && last.state !== 'off' ? last : null;
  return (
    <Card component="section" aria-labelledby="trading-mode">
      <Group justify="space-between" align="start" gap="md">
        <div style={{ flex: '1 1 280px', minWidth: 0 }}>
          <Group gap="sm" mb={6}>
            <Title order={2} fz={17} id="trading-mode">
              {t(($) => $.trading.title)}
            </Title>
            {mode && <ModeBadge mode={mode} />}
          </Group>
          <Text fz="sm">
            {state.on
              ? t(($) => $.trading.on)
              : open?.state === 'asked'
                ? t(($) => $.trading.asked)
                : t(($) => $.trading.off)}
          </Text>
          {open && (
            <>
              <Text fz="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
                {open.reason}
              </Text>
              <Text fz={12.5} c="dimmed" component="div">
                <span>{t(($) => $.waiting.by)}</span> <PersonHandle username={open.askedBy} /> ·{' '}
                <When at={open.askedAt} relative />
                {open.confirmedBy && (
                  <>
                    {' '}
                    · <span>{t(($) => $.trading.confirmedBy)}</span>{' '}
                    <PersonHandle username={open.confirmedBy} />
                  </>
                )}
              </Text>
            </>
          )}
          {state.missing.length > 0 && (
            <>
              <Text fz="sm" mt={6} c="dimmed">
                {t(($) => $.trading.lacks)}
              </Text>
              <List size="sm" c="dimmed">
                {state.missing.map((one) => (
                  <List.Item key={one}>{t(($) => $.trading.missing[one])}</List.Item>
                ))}
              </List>
            </>
          )}
          {state.openOperations > 0 && (
            <Text fz="sm" mt={6} role="status" component="div">
              <span>{t(($) => $.trading.open, { count: state.openOperations })}</span>{' '}
              <span>{t(($) => $.trading.reserved, { amount: format.usdt(state.openCapital) })}</span>
              {state.openSince && (
                <Text fz={12.5} c="dimmed" component="div">
                  <span>{t(($) => $.trading.since)}</span> <When at={state.openSince} /> ·{' '}
                  <When at={state.openSince} relative />
                </Text>
              )}
            </Text>
          )}
        </div>
        <Group gap={6}>
          {!open && (
            <GuardedButton
              size="compact-sm"
              color="red"
              allowed={may && state.missing.length === 0}
              reason={may ? t(($) => $.trading.lacks) : t(($) => $.mayNot)}
              onClick={() => setAsking('ask')}
            >
              {t(($) => $.trading.ask)}
            </GuardedButton>
          )}
          {may && open?.state === 'asked' && (
            <GuardedButton
              size="compact-sm"
              color="red"
              allowed={open.askedUser !== me}
              reason={t(($) => $.waiting.own)}
              onClick={() => {
                setSeen(open._id);
                setAsking('confirm');
              }}
            >
              {t(($) => $.trading.confirm)}
            </GuardedButton>
          )}
          {may && open?.state === 'asked' && open.askedUser !== me && (
            <OwnWord subject={{ kind: 'live_trading', id: open._id }} />
          )}
          {may && open && (
            <Button size="compact-sm" variant="default" onClick={() => setAsking('off')}>
              {open.state === 'on' ? t(($) => $.trading.offNow) : t(($) => $.waiting.withdraw)}
            </Button>
          )}
        </Group>
      </Group>
      {state.stranded && (
        <Alert
          mt="md"
          color="red"
          variant="light"
          role="alert"
          icon={<IconKeyOff size={18} aria-hidden />}
          title={t(($) => $.trading.stranded.title, { count: state.openOperations })}
        >
          <Text fz="sm">{t(($) => $.trading.stranded.why)}</Text>
          <Text fz="sm" mt={4}>
            {t(($) => $.trading.stranded.what)}
          </Text>
          <Text fz="sm" mt={4}>
            <span>{t(($) => $.trading.stranded.names)}</span> <Code>BINANCE_API_KEY</Code>,{' '}
            <Code>BINANCE_API_SECRET</Code>
          </Text>
        </Alert>
      )}
      <Residues />
      {asking && (
        <ConfirmDialog
          opened
          onClose={() => setAsking(null)}
          title={t(($) => $.trading.dialog[asking])}
          {...(asking === 'confirm' &&
            open && {
              facts: [
                { label: t(($) => $.reason), value: open.reason },
                { label: t(($) => $.waiting.author), value: <MemberName username={open.askedBy} /> },
              ],
            })}
          consequence={asking === 'off' ? t(($) => $.trading.whenOff) : t(($) => $.trading.risk)}
          confirmLabel={asking === 'off' ? t(($) => $.trading.offNow) : t(($) => $.trading[asking])}
          danger={asking !== 'off'}
          {...(asking !== 'off' && { phrase: WORD })}
          {...(asking === 'ask' && { reason: { label: t(($) => $.reason), required: true } })}
          onConfirm={async ({ reason }) => {
            const after = await (asking === 'ask'
              ? askTrading({ word: WORD, reason: reason ?? '' })
              : turnTrading(asking === 'confirm' ? { what: asking, id: seen } : { what: asking }));
            // The one before counted no more: this is the first of two words.
            if (asking === 'confirm' && !after.switch?.confirmedAt) toast.info(shell(($) => $.word.half));
            else toast.success(t(($) => $.trading.done[asking]));
            setAsking(null);
          }}
        />
      )}
    </Card>
  );
}
