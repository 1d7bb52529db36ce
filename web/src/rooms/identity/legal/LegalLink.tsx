import { Anchor } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Fetched with the first look. */
const LegalDrawer = lazy(() => import('./LegalDrawer'));

/** Opens what there is to read: terms, risk notice, privacy. */
export function LegalLink() {
  const { t } = useTranslation('legal');
  const [opened, setOpened] = useState(false);
  const [needed, setNeeded] = useState(false);
  const open = () => {
    setNeeded(true);
    setOpened(true);
  };
  return (
    <>
      <Anchor component="button" type="button" fz="sm" ta="left" onClick={open}>
        {t(($) => $.open)}
      </Anchor>
      {needed && (
        <Suspense>
          <LegalDrawer opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
