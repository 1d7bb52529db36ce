import { Kbd, Modal, Switch, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useSession } from '@/api/session';
import { beginChord, endChord, inChord, isBusy } from '@/ui/keys';
import { usePrefs } from '@/ui/prefs';
import { menuFor } from './menu';

/** What somebody holds who answers one ticket after the other. */
const TICKETS = ['customer-service_list-tickets', 'customer-service_response-ticket'] as const;

/** Single-letter keys of the whole shell, and `?` for the list of them. Off in fields, in dialogs and by preference. */
export function KeyboardHelp() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const ability = useSession((state) => state.ability);
  const letterKeys = usePrefs((prefs) => prefs.letterKeys);
  const setLetterKeys = usePrefs((prefs) => prefs.setLetterKeys);
  const answers = TICKETS.every((subject) => ability?.can('read', subject));
  const entries = menuFor((subject) => ability?.can('read', subject) ?? false).flatMap(
    (group) => group.entries,
  );

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === '?' && !isBusy(event)) {
      event.preventDefault();
      open();
      return;
    }
    if (!letterKeys || isBusy(event)) return;
    if (inChord()) {
      endChord();
      const target = entries.find(({ letter }) => letter === event.key.toLowerCase());
      if (target) {
        event.preventDefault();
        void navigate(target.to);
      }
      return;
    }
    if (event.key === 'g') beginChord();
    if (event.key === '/') {
      const filter = document.querySelector<HTMLElement>('[data-filter-search]');
      if (!filter) return;
      event.preventDefault();
      filter.focus();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);

  const keys: [string[], string][] = [
    [['Ctrl', 'K'], t(($) => $.keys.search)],
    [['?'], t(($) => $.keys.help)],
    [['/'], t(($) => $.keys.filter)],
    [['j'], t(($) => $.keys.next)],
    [['k'], t(($) => $.keys.previous)],
    [['Enter'], t(($) => $.keys.open)],
    [['Esc'], t(($) => $.keys.back)],
    [['Ctrl', 'Enter'], t(($) => $.keys.submit)],
    ...(answers
      ? ([
          [['n'], t(($) => $.keys.nextTicket)],
          [['/'], t(($) => $.keys.cannedReply)],
        ] satisfies [string[], string][])
      : []),
    ...entries
      .filter(({ letter }) => letter)
      .map((entry): [string[], string] => [['g', entry.letter ?? ''], t(($) => $.menu.entries[entry.text])]),
  ];
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t(($) => $.keys.title)}
      centered
      closeButtonProps={{ 'aria-label': t(($) => $.keys.close) }}
    >
      <Table verticalSpacing={6} mb="md">
        <Table.Tbody>
          {keys.map(([combination, meaning]) => (
            <Table.Tr key={combination.join('+') + meaning}>
              <Table.Td w={120}>
                {combination.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        checked={letterKeys}
        onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        label={t(($) => $.keys.letters)}
      />
    </Modal>
  );
}
