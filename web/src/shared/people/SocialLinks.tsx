import { ActionIcon, Group } from '@mantine/core';
import {
  IconBrandFacebook,
  IconBrandInstagram,
  IconBrandLinkedin,
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconBrandX,
  IconBrandYoutube,
  type TablerIcon,
} from '@tabler/icons-react';
import { NETWORKS, type Network, PLACES, type Social, socialLink } from './social';

export const SOCIAL_ICONS: Readonly<Record<Network, TablerIcon>> = {
  instagram: IconBrandInstagram,
  telegram: IconBrandTelegram,
  whatsapp: IconBrandWhatsapp,
  facebook: IconBrandFacebook,
  youtube: IconBrandYoutube,
  x: IconBrandX,
  linkedin: IconBrandLinkedin,
};

/** Whether anything of it leads somewhere. */
export const hasSocial = (social: Social | null | undefined): social is Social =>
  social != null && NETWORKS.some((network) => socialLink(network, social[network] ?? '') !== null);

/** Where somebody of one's own network is found elsewhere. */
export function SocialLinks({ social, username }: { social: Social; username: string }) {
  return (
    <Group gap={4} ml={-6} data-social={username}>
      {NETWORKS.map((network) => {
        const typed = social[network] ?? '';
        const to = socialLink(network, typed);
        const Icon = SOCIAL_ICONS[network];
        const label = `${PLACES[network].name}: @${username}`;
        return (
          to && (
            <ActionIcon
              key={network}
              component="a"
              href={to}
              target="_blank"
              rel="noopener noreferrer nofollow"
              referrerPolicy="no-referrer"
              size={32}
              mih={{ base: 44, sm: 32 }}
              miw={{ base: 44, sm: 32 }}
              aria-label={label}
              title={`${PLACES[network].name}: ${typed}`}
            >
              <Icon size={19} stroke={1.6} aria-hidden />
            </ActionIcon>
          )
        );
      })}
    </Group>
  );
}
