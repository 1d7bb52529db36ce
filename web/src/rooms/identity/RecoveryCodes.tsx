import { Button, Checkbox, Code, CopyButton, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Shown once: the server keeps only their hashes. */
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
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text fz="sm" c="dimmed">
          {t(($) => $.account.recovery.hint)}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {codes?.map((code) => (
            <Code key={code} block ta="center" fz="sm">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <CopyButton value={codes?.join('\n') ?? ''} timeout={2000}>
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
        <Checkbox
          checked={kept}
          onChange={(event) => setKept(event.currentTarget.checked)}
          label={t(($) => $.account.recovery.kept)}
        />
        <Button onClick={close} disabled={!kept}>
          {t(($) => $.account.recovery.done)}
        </Button>
      </Stack>
    </Modal>
  );
}
