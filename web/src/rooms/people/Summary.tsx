import { Group, SimpleGrid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { AcceptedList } from '@/shared/people/AcceptedList';
import { PersonLink } from '@/shared/people/PersonCell';
import { hasSocial, SocialLinks } from '@/shared/people/SocialLinks';
import { useRoleName } from '@/shared/people/useRoleName';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { Section } from '@/ui/Section';
import { When } from '@/ui/When';
import { Facts } from './Facts';
import type { Person } from './people';
import { useNetworkWords } from './useNetworkWords';

/** Who somebody is, how the account stands, where they stand in the network. */
export function Summary({ person }: { person: Person }) {
  const { t } = useTranslation('people');
  const { t: legal } = useTranslation('legal');
  const format = useFormat();
  const roleName = useRoleName();
  const words = useNetworkWords();
  const { address, hold, graduation, nextGraduationInfo: next, document, social, emailChange } = person;
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
      <Facts
        title={t(($) => $.view.person)}
        facts={[
          [t(($) => $.fields.username), `@${person.username}`],
          [t(($) => $.fields.email), person.email],
          ...(emailChange
            ? ([
                [
                  t(($) => $.view.emailChange),
                  t(
                    ($) =>
                      $.view.toConfirm[
                        emailChange.newConfirmed ? 'old' : emailChange.oldConfirmed ? 'new' : 'both'
                      ],
                    {
                      email: emailChange.email,
                      at: format.dateTime(emailChange.until),
                    },
                  ),
                ],
              ] as const)
            : []),
          [t(($) => $.fields.mobileNumber), person.mobileNumber || '–'],
          ...(person.personal
            ? ([
                [t(($) => $.view.birthDate), person.birthDate ? format.date(person.birthDate) : '–'],
                [document ? document.kind.toUpperCase() : t(($) => $.view.document), document?.masked ?? '–'],
              ] as const)
            : []),
          [t(($) => $.fields.locale), t(($) => $.languages[person.locale])],
          [t(($) => $.view.timeZone), person.timeZone ?? '–'],
          [
            t(($) => $.fields.address),
            address
              ? [
                  `${address.street}, ${address.number}${address.complement ? ` ${address.complement}` : ''}`,
                  address.district,
                  `${address.city} – ${address.state}`,
                  address.postalCode,
                  address.country,
                ].join(', ')
              : '–',
          ],
          [
            t(($) => $.view.social),
            hasSocial(social) ? <SocialLinks key="social" social={social} username={person.username} /> : '–',
          ],
        ]}
      />
      <Facts
        title={t(($) => $.view.account)}
        facts={[
          // Money of others is shown to who decides about it.
          ...(person.balance !== null && person.balance !== undefined
            ? ([[t(($) => $.view.balance), <Money key="balance" value={person.balance} />]] as const)
            : []),
          [t(($) => $.list.roles), person.roles.map(({ name }) => roleName(name)).join(', ') || '–'],
          [t(($) => $.list.since), <When key="since" at={person.created_at} />],
          [
            t(($) => $.view.lastSignIn),
            person.lastSignInAt ? <When key="last" at={person.lastSignInAt} relative /> : '–',
          ],
          ...(person.frozen ? ([[t(($) => $.view.frozen), t(($) => $.view.frozenHint)]] as const) : []),
          ...(person.passwordEnded
            ? ([[t(($) => $.view.passwordEnded), t(($) => $.view.passwordEndedHint)]] as const)
            : []),
          [t(($) => $.view.hold), hold ? t(($) => $.view.until, { at: format.dateTime(hold.until) }) : '–'],
          [
            t(($) => $.view.missing),
            person.missing.map((part) => t(($) => $.missing[part as 'email'])).join(', ') || '–',
          ],
          ...(person.closedAt
            ? ([
                [
                  t(($) => $.view.closed),
                  <Group key="closed" gap={4} component="span">
                    <When at={person.closedAt} />
                    {person.closingReason && <span>{`: ${person.closingReason}`}</span>}
                  </Group>,
                ],
              ] as const)
            : []),
          ...(person.statusAt
            ? ([
                [
                  t(($) => $.view.statusBy),
                  <Group key="status" gap={4} component="span">
                    {person.statusBy && (
                      <PersonLink id={person.statusBy._id} username={person.statusBy.username} />
                    )}
                    <When at={person.statusAt} />
                    {person.statusReason && <span>{`: ${person.statusReason}`}</span>}
                  </Group>,
                ],
              ] as const)
            : []),
        ]}
      />
      <Facts
        title={t(($) => $.tabs.network)}
        facts={[
          [
            t(($) => $.list.sponsor),
            person.sponsor ? (
              <PersonLink key="sponsor" id={person.sponsor._id} username={person.sponsor.username} />
            ) : (
              '–'
            ),
          ],
          [
            t(($) => $.view.rank),
            <span key="rank">
              <span>{graduation ? words.rank(graduation.name) : '–'}</span>
              {next && (
                <Text span display="block" fz={12.5} c="dimmed" fw={400}>
                  {t(($) => $.view.towards, {
                    rank: words.rank(next.name),
                    points: format.decimal(next.points, 0),
                    threshold: format.decimal(next.threshold, 0),
                  })}
                </Text>
              )}
            </span>,
          ],
          [
            t(($) => $.view.side),
            person.placed && person.binarySide ? words.leg(person.binarySide) : t(($) => $.view.noPlace),
          ],
          [
            t(($) => $.view.binary),
            person.binaryActive
              ? t(($) => $.states.binary)
              : person.binaryNeeds.map((need) => words.need(need)).join('. ') || t(($) => $.states.noBinary),
          ],
        ]}
      />
      <Section title={legal(($) => $.accepted.title)}>
        <AcceptedList accepted={person.acceptances} />
      </Section>
    </SimpleGrid>
  );
}
