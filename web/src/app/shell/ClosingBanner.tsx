import { Alert, Anchor } from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useUser } from '@/api/session';
import { When } from '@/ui/When';

/** One's account is to be closed: said on every screen until its day, with the way to where it is cancelled. */
export function ClosingBanner() {
  const { t } = useTranslation('shell');
  const closing = useUser()?.closingAt;
  if (!closing) return null;
  return (
    <Alert
      color="gold"
      variant="light"
      role="status"
      mb="lg"
      icon={<IconDoorExit size={18} aria-hidden />}
      data-testid="closing-banner"
    >
      <span>{t(($) => $.closing.text)}</span> <When at={closing} />{' '}
      <Anchor component={Link} to="/account-setting?tab=privacy" fz="sm" display="inline-block">
        {t(($) => $.closing.open)}
      </Anchor>
    </Alert>
  );
}
