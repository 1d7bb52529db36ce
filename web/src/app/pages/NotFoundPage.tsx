import { IconMapSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Lost } from './Lost';

export default function NotFoundPage() {
  const { t } = useTranslation('shell');
  return (
    <Lost
      code="404"
      icon={<IconMapSearch size={30} stroke={1.5} />}
      title={t(($) => $.lost.notFoundTitle)}
      text={t(($) => $.lost.notFound)}
    />
  );
}
