import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useUser } from '@/api/session';
import { referenceLink } from '@/shared/network/reference';
import { CopyText } from '@/ui/CopyText';

/** Copies the link by which others register below oneself; `brief` where there is no room for words. */
export function InviteLink({ brief = false }: { brief?: boolean }) {
  const { t } = useTranslation('affiliates');
  const { t: common } = useTranslation();
  const name = useUser()?.username;
  if (!name) return null;
  const link = referenceLink(name);
  if (brief) return <CopyText value={link} label={t(($) => $.invite)} />;
  return (
    <CopyButton value={link} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconLink size={16} aria-hidden />}
          onClick={copy}
        >
          {copied ? common(($) => $.actions.copied) : t(($) => $.invite)}
        </Button>
      )}
    </CopyButton>
  );
}
