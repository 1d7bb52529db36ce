import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** The copy button of an address, a code or a hash. */
export function CopyText({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t(($) => $.actions.copied) : label}>
          <ActionIcon onClick={copy} aria-label={copied ? t(($) => $.actions.copied) : label}>
            {copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
