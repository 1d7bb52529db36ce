/** Networks outside where people are found: what counts as an address there, and where it leads. The server checks the same. */
import type { Schemas } from '@/api/client';

export type Social = Schemas['Social'];
export type Network = keyof Social;

interface Place {
  /** Names of their own, the same in every language. */
  name: string;
  hosts: readonly string[];
  /** Where a handle leads; of WhatsApp it is a number. */
  link: (handle: string) => string;
  example: string;
}

const HANDLE = /^@?[\w.-]{1,64}$/;
const PHONE = /^\+?[\d\s().-]{8,24}$/;
export const MAX_SOCIAL = 100;

export const PLACES: Readonly<Record<Network, Place>> = {
  instagram: {
    name: 'Instagram',
    hosts: ['instagram.com'],
    link: (handle) => `https://www.instagram.com/${handle}`,
    example: '@maria.silva',
  },
  telegram: {
    name: 'Telegram',
    hosts: ['t.me', 'telegram.me'],
    link: (handle) => `https://t.me/${handle}`,
    example: '@maria.silva',
  },
  whatsapp: {
    name: 'WhatsApp',
    hosts: ['wa.me', 'whatsapp.com', 'chat.whatsapp.com'],
    link: (number) => `https://wa.me/${number.replace(/\D/g, '')}`,
    example: '+55 11 98888-7777',
  },
  facebook: {
    name: 'Facebook',
    hosts: ['facebook.com', 'fb.com', 'pt-br.facebook.com'],
    link: (handle) => `https://www.facebook.com/${handle}`,
    example: '@maria.silva',
  },
  youtube: {
    name: 'YouTube',
    hosts: ['youtube.com', 'youtu.be'],
    link: (handle) => `https://www.youtube.com/@${handle}`,
    example: '@maria.silva',
  },
  x: {
    name: 'X',
    hosts: ['x.com', 'twitter.com'],
    link: (handle) => `https://x.com/${handle}`,
    example: '@maria.silva',
  },
  linkedin: {
    name: 'LinkedIn',
    hosts: ['linkedin.com', 'br.linkedin.com'],
    link: (handle) => `https://www.linkedin.com/in/${handle}`,
    example: 'https://www.linkedin.com/in/maria-silva',
  },
};
export const NETWORKS = Object.keys(PLACES) as Network[];

/** A query could lead on to anywhere: none is taken but the number of a profile. */
const staysThere = (network: Network, { pathname, search }: URL): boolean =>
  search === '' || (network === 'facebook' && pathname === '/profile.php' && /^\?id=\d+$/.test(search));

/** Where what somebody typed leads; null for what is none of that network's: it is never made a link. */
export function socialLink(network: Network, typed: string): string | null {
  const text = typed.trim();
  const { hosts, link } = PLACES[network];
  if (text.length > MAX_SOCIAL) return null;
  if (/^https:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : null;
    const host = url?.hostname.toLowerCase() ?? '';
    const plain = url?.username === '' && url.port === '' && url.hash === '' && url.pathname.length > 1;
    return plain && hosts.includes(host.replace(/^(www|m)\./, '')) && staysThere(network, url)
      ? url.href
      : null;
  }
  const fits = (network === 'whatsapp' ? PHONE : HANDLE).test(text);
  return fits ? link(network === 'whatsapp' ? text : encodeURIComponent(text.replace(/^@/, ''))) : null;
}
