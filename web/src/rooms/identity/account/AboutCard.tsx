import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Me } from '@/api/session';
import { MemberName } from '@/shared/network/MemberName';
import { MemberFace } from '@/shared/people/MemberFace';
import { hasSocial, SocialLinks } from '@/shared/people/SocialLinks';
import { useRoleName } from '@/shared/people/useRoleName';
import { Section } from '@/ui/Section';
import { When } from '@/ui/When';

/** What one may not change about oneself. */
export function AboutCard({ user }: { user: Me }) {
  const { t } = useTranslation('identity');
  const roleName = useRoleName();
  const { sponsor } = user;
  return (
    <Section title={t(($) => $.account.about.title)}>
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          <Fact label={t(($) => $.account.about.username)}>
            <span translate="no">@{user.username}</span>
          </Fact>
          <Fact label={t(($) => $.account.about.roles)}>
            {user.roles.map(({ name }) => roleName(name)).join(', ')}
          </Fact>
          {sponsor && (
            <Fact label={t(($) => $.account.about.sponsor)}>
              <MemberFace username={sponsor.username} fullName={sponsor.firstName}>
                <span>{sponsor.firstName}</span> (<MemberName username={sponsor.username} />)
              </MemberFace>
              {hasSocial(sponsor.social) && (
                <SocialLinks social={sponsor.social} username={sponsor.username} />
              )}
            </Fact>
          )}
          <Fact label={t(($) => $.account.about.since)}>
            <When at={user.registeredAt} />
          </Fact>
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="38%" fw={500} c="dimmed" bg="transparent">
        {label}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text fz="sm" component="div">
          {children}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
