import { Anchor, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useConfig } from '@/api/config';
import { isChat } from '@/shared/support/chat';

/** The way to a person for who cannot sign in, and so writes no ticket: the house's chat, or the mailbox that every public screen names. */
export function Support({ asks }: { asks: string }) {
  const { t } = useTranslation('identity');
  const chat = useConfig(({ config }) => config?.whatsapp);
  const mail = useConfig(({ config }) => config?.officer?.email);
  const href = isChat(chat) ? chat : mail && `mailto:${mail}`;
  const said = t(($) => $.second.support);
  return (
    <Text fz="xs" c="dimmed">
      <span>{asks}</span>{' '}
      {href ? (
        <Anchor
          href={href}
          inherit
          underline="always"
          display="inline-block"
          {...(isChat(chat) && { target: '_blank', rel: 'noreferrer' })}
        >
          {said}
        </Anchor>
      ) : (
        <span>{said}</span>
      )}
    </Text>
  );
}
