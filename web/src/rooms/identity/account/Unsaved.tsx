import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAskBeforeLeaving } from '@/ui/leaving';

const Tell = createContext<(form: string, dirty: boolean) => void>(() => {});

/** A form says that something in it is not saved: whoever leaves it is asked first. */
export function useUnsaved(dirty: boolean) {
  const id = useId();
  const tell = useContext(Tell);
  useEffect(() => {
    tell(id, dirty);
    return () => tell(id, false);
  }, [id, dirty, tell]);
}

/** Asks before something unsaved is left: for another screen, for another tab of this one, or with the window. */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const { t } = useTranslation('account');
  const [forms, setForms] = useState<readonly string[]>([]);
  const tell = useCallback(
    (form: string, dirty: boolean) =>
      setForms((before) =>
        before.includes(form) === dirty
          ? before
          : dirty
            ? [...before, form]
            : before.filter((one) => one !== form),
      ),
    [],
  );
  const dirty = forms.length > 0;
  const blocker = useAskBeforeLeaving(
    ({ currentLocation: from, nextLocation: to }) =>
      dirty && (from.pathname !== to.pathname || tabOf(from.search) !== tabOf(to.search)),
  );
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  const stay = () => blocker?.reset?.();
  return (
    <Tell value={tell}>
      {children}
      <Modal
        opened={blocker?.state === 'blocked'}
        onClose={stay}
        title={t(($) => $.unsaved.title)}
        centered
        withCloseButton={false}
      >
        <Stack gap="md">
          <Text fz="sm" c="dimmed">
            {t(($) => $.unsaved.text)}
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => blocker?.proceed?.()}>
              {t(($) => $.unsaved.leave)}
            </Button>
            <Button onClick={stay} data-autofocus>
              {t(($) => $.unsaved.stay)}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Tell>
  );
}

const tabOf = (search: string) => new URLSearchParams(search).get('tab');
