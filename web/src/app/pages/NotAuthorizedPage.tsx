import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Lost } from './Lost';

export default function NotAuthorizedPage() {
  const { t } = useTranslation('shell');
  return (
    <Lost
      code="403"
      icon={<IconLock size={30} stroke={1.5} />}
      title={t(($) => $.lost.notAuthorized)}
      text={t(($) => $.lost.notAuthorizedHint)}
    />
  );
}
