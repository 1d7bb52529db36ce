import { Anchor, Box } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '@/ui/ErrorCard';
import { usePiece } from '@/ui/usePiece';
import classes from './LegalLink.module.css';

/** Fetched with the first look. */
const drawer = async () => (await import('./LegalDrawer')).default;

/** Opens what there is to read: terms, risk notice, privacy. */
export function LegalLink() {
  const { t } = useTranslation('legal');
  const [opened, setOpened] = useState(false);
  const { piece: LegalDrawer, failed, fetch } = usePiece(drawer);
  const link = useRef<HTMLButtonElement>(null);
  const open = () => {
    setOpened(true);
    fetch();
  };
  return (
    <>
      <Anchor
        component="button"
        type="button"
        fz="sm"
        ta="left"
        className={classes.open ?? ''}
        ref={link}
        onClick={open}
      >
        {t(($) => $.open)}
      </Anchor>
      {failed && (
        <Box w="100%" maw={420} ta="left">
          <ErrorCard
            what={t(($) => $.what)}
            onRetry={() => {
              // The card goes with the press: the drawer leads back to the link.
              link.current?.focus();
              open();
            }}
          />
        </Box>
      )}
      {LegalDrawer && <LegalDrawer opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
