import { Alert } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Said before the press: one person alone does not do this. */
export function TwoNotice({ why }: { why: 'decider' | 'role' | 'factor' | 'email' }) {
  const { t } = useTranslation('people');
  return (
    <Alert color="gold" variant="light" role="status" icon={<IconUsers size={18} aria-hidden />}>
      {t(($) => $.two.why[why])}
    </Alert>
  );
}
