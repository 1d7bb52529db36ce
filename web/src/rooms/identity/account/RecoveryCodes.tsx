import { Alert, Button, Checkbox, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfig } from '@/api/config';
import { save } from '@/api/download';
import { useUser } from '@/api/session';
import { useFormat } from '@/ui/format';
import classes from './RecoveryCodes.module.css';

/** Shown once: the server keeps only their hashes. So there are three ways to keep them, and no way out before one says that one did. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[] | null; onClose: () => void }) {
  const { t } = useTranslation('identity');
  const [kept, setKept] = useState(false);
  const close = () => {
    setKept(false);
    onClose();
  };
  return (
    <Modal
      opened={codes !== null}
      onClose={close}
      title={t(($) => $.account.recovery.title)}
      size="lg"
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert
          className={classes.screen ?? ''}
          color="gold"
          variant="light"
          icon={<IconAlertTriangle size={18} aria-hidden />}
        >
          {t(($) => $.account.recovery.once)}
        </Alert>
        <Text fz="sm" c="dimmed" className={classes.screen ?? ''}>
          {t(($) => $.account.recovery.hint)}
        </Text>
        {codes && <Codes codes={codes} />}
        <Checkbox
          className={classes.screen ?? ''}
          checked={kept}
          onChange={(event) => setKept(event.currentTarget.checked)}
          label={t(($) => $.account.recovery.kept)}
        />
        <Button className={classes.screen ?? ''} onClick={close} disabled={!kept}>
          {t(($) => $.account.recovery.done)}
        </Button>
      </Stack>
    </Modal>
  );
}

function Codes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation('identity');
  const format = useFormat();
  const user = useUser();
  const brand = useConfig(({ config }) => config?.brand ?? '');
  const head = t(($) => $.account.recovery.head, {
    email: user?.email ?? '',
    brand,
    date: format.date(new Date()),
  });
  const download = () =>
    save(
      new Blob([[head, '', ...codes, ''].join('\r\n')], { type: 'text/plain;charset=utf-8' }),
      `${t(($) => $.account.recovery.file)}.txt`,
    );
  return (
    <>
      <p className={classes.head}>{head}</p>
      <ol className={classes.codes} aria-label={t(($) => $.account.recovery.list)}>
        {codes.map((code) => (
          <li key={code}>
            <Code block translate="no" ta="center" fz="sm" className={classes.code ?? ''}>
              {code}
            </Code>
          </li>
        ))}
      </ol>
      <Group className={classes.screen ?? ''} gap="xs" grow preventGrowOverflow={false}>
        <CopyButton value={codes.join('\n')} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
            >
              {t(($) => (copied ? $.account.recovery.copied : $.account.recovery.copy))}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />} onClick={download}>
          {t(($) => $.account.recovery.download)}
        </Button>
        <Button
          variant="default"
          leftSection={<IconPrinter size={17} aria-hidden />}
          onClick={() => window.print()}
        >
          {t(($) => $.account.recovery.print)}
        </Button>
      </Group>
    </>
  );
}
