import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

/** A link that is used up, replaced or wrong. */
export function BadLink({ title }: { title: string }) {
  const { t } = useTranslation('identity');
  return (
    <Stack>
      <Alert
        color="red"
        variant="light"
        role="alert"
        icon={<IconLinkOff size={18} aria-hidden />}
        title={title}
      >
        <Text fz="sm">{t(($) => $.badLink)}</Text>
      </Alert>
      <Anchor component={Link} to="/login" fz="sm">
        {t(($) => $.backToLogin)}
      </Anchor>
    </Stack>
  );
}
