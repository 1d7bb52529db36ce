import {
  Alert,
  Button,
  Card,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core';
import { IconDownload, IconInfoCircle, IconShare } from '@tabler/icons-react';
import { QRCodeCanvas } from 'qrcode.react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfig } from '@/api/config';
import { save } from '@/api/download';
import { $api } from '@/api/hooks';
import { useUser } from '@/api/session';
import { currentLocale } from '@/i18n';
import { isLocale, LANGUAGE_TAGS, LOCALE_LABELS, LOCALES, type Locale } from '@/i18n/locales';
import { referenceLink } from '@/shared/network/reference';
import { QrPay } from '@/shared/payments/QrPay';
import { formatDate, formatUsdt } from '@/ui/format';
import { PageHeader } from '@/ui/PageHeader';
import { toast } from '@/ui/toast';
import { useSubmit } from '@/ui/useSubmit';
import classes from './Content.module.css';
import type { CardWords, Format } from './card';
import { draw, pictureOf } from './drawing';

/** Whose result a card may show. */
const DAYS = 30;

/** /marketing/share: one's link, its code, and cards to send on. */
export default function SharePage() {
  const { t } = useTranslation('content');
  const name = useUser()?.username;
  if (!name) return null;
  const link = referenceLink(name);
  return (
    <Stack gap="lg">
      <PageHeader title={t(($) => $.share.title)} subtitle={t(($) => $.share.subtitle)} />
      <Alert color="gold" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} role="note">
        {t(($) => $.share.honest)}
      </Alert>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card>
          <Title order={2} fz={17} mb="md">
            {t(($) => $.share.link)}
          </Title>
          <Stack gap="sm">
            <QrPay text={link} label={t(($) => $.share.code)} copyLabel={t(($) => $.share.copy)} />
            <ShareLink link={link} />
          </Stack>
        </Card>
        <Cards link={link} username={name} />
      </SimpleGrid>
    </Stack>
  );
}

/** Whoever closes the system's own dialog has not failed. */
const unlessAborted = (error: unknown) => {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
};

function ShareLink({ link }: { link: string }) {
  const { t } = useTranslation('content');
  const brand = useConfig(({ config }) => config?.brand) ?? '';
  const { busy, run } = useSubmit(
    (url: string) =>
      navigator.share({ title: brand, text: t(($) => $.share.words), url }).catch(unlessAborted),
    undefined,
    () => toast.danger(t(($) => $.share.failed)),
  );
  if (!('share' in navigator)) return null;
  return (
    <Button
      variant="light"
      loading={busy}
      leftSection={<IconShare size={17} aria-hidden />}
      onClick={() => void run(link)}
    >
      {t(($) => $.share.send)}
    </Button>
  );
}

function Cards({ link, username }: { link: string; username: string }) {
  const { t } = useTranslation('content');
  const [language, setLanguage] = useState<Locale>(currentLocale);
  const [format, setFormat] = useState<Format>('square');
  const [withResult, setWithResult] = useState(false);
  const words = useWords({ link, username, language, withResult });
  const canvas = useRef<HTMLCanvasElement>(null);
  const code = useRef<HTMLCanvasElement>(null);
  const text = JSON.stringify(words);
  useEffect(() => {
    const card = JSON.parse(text) as CardWords;
    const now = () => {
      if (canvas.current && code.current) draw(canvas.current, card, format, code.current);
    };
    now();
    // With the house's own letters, once they are there.
    void document.fonts?.ready.then(now);
  }, [text, format]);
  const named = `${words.brand.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${language}-${format}.png`;
  const share = useSubmit(
    async (picture: HTMLCanvasElement) => {
      const file = new File([await pictureOf(picture)], named, { type: 'image/png' });
      if (navigator.canShare?.({ files: [file] }))
        await navigator.share({ files: [file], text: link }).catch(unlessAborted);
      else save(file, named);
    },
    undefined,
    () => toast.danger(t(($) => $.share.failed)),
  );
  const keep = useSubmit(
    async (picture: HTMLCanvasElement) => save(await pictureOf(picture), named),
    undefined,
    () => toast.danger(t(($) => $.share.failed)),
  );
  return (
    <Card>
      <Title order={2} fz={17} mb="md">
        {t(($) => $.share.cards)}
      </Title>
      <Stack gap="sm">
        <SegmentedControl
          fullWidth
          aria-label={t(($) => $.filter.language)}
          value={language}
          onChange={(next) => isLocale(next) && setLanguage(next)}
          data={LOCALES.map((value) => ({ value, label: LOCALE_LABELS[value] }))}
        />
        <SegmentedControl
          fullWidth
          aria-label={t(($) => $.share.format)}
          value={format}
          onChange={(next) => setFormat(next === 'story' ? 'story' : 'square')}
          data={[
            { value: 'square', label: t(($) => $.share.square) },
            { value: 'story', label: t(($) => $.share.story) },
          ]}
        />
        <Switch
          label={t(($) => $.share.withResult, { days: DAYS })}
          description={t(($) => $.share.withResultHint)}
          checked={withResult}
          onChange={(event) => setWithResult(event.currentTarget.checked)}
        />
        {withResult && !words.result && (
          <Text fz="sm" c="dimmed" role="status">
            {t(($) => $.share.noResult, { days: DAYS })}
          </Text>
        )}
        <canvas
          ref={canvas}
          className={classes.share}
          role="img"
          aria-label={t(($) => $.share.preview, { text: words.headline })}
          style={format === 'story' ? { maxWidth: 300, marginInline: 'auto' } : {}}
        />
        <QRCodeCanvas ref={code} value={link} size={512} marginSize={0} level="M" hidden aria-hidden />
        <Group grow>
          <Button
            variant="default"
            loading={keep.busy}
            leftSection={<IconDownload size={17} aria-hidden />}
            onClick={() => canvas.current && void keep.run(canvas.current)}
          >
            {t(($) => $.share.save)}
          </Button>
          {'share' in navigator && (
            <Button
              loading={share.busy}
              leftSection={<IconShare size={17} aria-hidden />}
              onClick={() => canvas.current && void share.run(canvas.current)}
            >
              {t(($) => $.share.sendCard)}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

interface Wanted {
  link: string;
  username: string;
  language: Locale;
  withResult: boolean;
}

/** What the card says in its own language. A result is that of the last 30 days in one mode, as the analysis has it. */
function useWords({ link, username, language, withResult }: Wanted): CardWords {
  const { t } = useTranslation('content', { lng: language });
  const { t: shell } = useTranslation('shell', { lng: language });
  const brand = useConfig(({ config }) => config?.brand) ?? 'Arbora';
  const answer = $api.useQuery(
    'get',
    '/dashboard/analytics/{param}',
    { params: { path: { param: `${DAYS}d` } } },
    { enabled: withResult },
  );
  const tag = LANGUAGE_TAGS[language];
  const data = withResult ? answer.data : undefined;
  return {
    brand,
    headline: t(($) => $.card.headline),
    body: t(($) => $.card.body),
    by: t(($) => $.card.by, { name: username }),
    link: link.replace(/^https?:\/\//, ''),
    scan: t(($) => $.card.scan),
    note: t(($) => $.card.note),
    result:
      data && data.total.operations > 0
        ? {
            label: t(($) => $.card.result),
            value: formatUsdt(tag, data.total.net, 2, true),
            period: `${formatDate(tag, data.firstDay)} – ${formatDate(tag, data.lastDay)}`,
            mode: shell(($) => $.mode.name[data.mode]),
            past: t(($) => $.card.past),
          }
        : undefined,
  };
}
