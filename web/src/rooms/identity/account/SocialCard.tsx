import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Me } from '@/api/session';
import { SOCIAL_ICONS } from '@/shared/people/SocialLinks';
import { MAX_SOCIAL, NETWORKS, type Network, PLACES, socialLink } from '@/shared/people/social';
import { DataForm, useDataForm } from './DataForm';

type Typed = Record<Network, string>;

/** Where one is found elsewhere; one's own network sees it. */
export function SocialCard({ user }: { user: Me }) {
  const { t } = useTranslation('account');
  const stands = Object.fromEntries(
    NETWORKS.map((network) => [network, user.social?.[network] ?? '']),
  ) as Typed;
  const data = useDataForm<Typed>(stands);
  const { form, set, field, checked } = data;
  const fits = (network: Network) =>
    form[network].trim() === '' || socialLink(network, form[network]) !== null;
  return (
    <DataForm
      title={t(($) => $.social.title)}
      hint={t(($) => $.social.hint)}
      data={data}
      fits={NETWORKS.every(fits)}
      patch={() => ({
        social: Object.fromEntries(NETWORKS.map((network) => [network, form[network].trim()])),
      })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {NETWORKS.map((network) => {
          const { name, example } = PLACES[network];
          const Icon = SOCIAL_ICONS[network];
          return (
            <TextInput
              key={network}
              label={name}
              placeholder={example}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              maxLength={MAX_SOCIAL}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={form[network]}
              onChange={(event) => set({ [network]: event.currentTarget.value })}
              error={
                field(`social.${network}`) ??
                (checked &&
                  !fits(network) &&
                  t(($) => (network === 'whatsapp' ? $.social.badNumber : $.social.bad), { name }))
              }
            />
          );
        })}
      </SimpleGrid>
    </DataForm>
  );
}
