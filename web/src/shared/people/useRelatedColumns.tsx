import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useFormat } from '@/ui/format';
import { plainList } from '@/ui/plainList';
import { When } from '@/ui/When';
import { PersonHandle } from './PersonCell';

export type SharedThing = Schemas['SharedThing'];
export type SharedKind = Schemas['SharedKind'];

export const SHARED_KINDS: readonly SharedKind[] = [
  'device',
  'document',
  'payer',
  'pix_key',
  'address',
  'wallet',
];

/** What several accounts have, how it is shown, who they are and since when; without the one whose page it is. */
export function useRelatedColumns(own?: string) {
  const { t } = useTranslation('lists');
  const format = useFormat();
  return [
    {
      key: 'kind',
      label: t(($) => $.related.kind),
      fixed: true,
      render: ({ kind, shown }: SharedThing) => (
        <div>
          <Text fz="sm" fw={600}>
            {t(($) => $.related.kinds[kind])}
          </Text>
          {shown && (
            <Text fz="xs" c="dimmed" maw={260} style={{ overflowWrap: 'anywhere' }}>
              <span translate="no">{shown}</span>
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'people',
      label: t(($) => $.related.people),
      fixed: true,
      render: ({ people, accounts }: SharedThing) => {
        const others = people.filter(({ _id }) => _id !== own);
        const more = accounts - people.length;
        return (
          <Stack component="ul" gap={2} {...plainList}>
            {others.map(({ _id, username, fullName, since }) => (
              <Text component="li" key={_id} fz="sm">
                <PersonHandle id={_id} username={username} />
                <Text span fz="xs" c="dimmed">
                  <span translate="no">{` · ${fullName} · `}</span>
                  <When at={since} />
                </Text>
              </Text>
            ))}
            {more > 0 && (
              <Text component="li" fz="xs" c="dimmed">
                {t(($) => $.related.more, { count: more, shown: format.count(more) })}
              </Text>
            )}
          </Stack>
        );
      },
    },
    {
      key: 'since',
      label: t(($) => $.related.since),
      fixed: true,
      render: ({ since }: SharedThing) => <When at={since} />,
    },
  ];
}
