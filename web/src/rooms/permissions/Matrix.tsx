import { Skeleton, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '@/ui/ErrorCard';
import { ShortTable } from '@/ui/ShortTable';
import { useRoles } from './permissions';
import { useWords } from './useWords';

const SUBJECTS = [
  'registered-user',
  'admin_dashboard',
  'admin_permissions',
  'customer-service_list-users',
  'customer-service_user-view',
  'customer-service_user-edit',
  'customer-service_list-tickets',
  'customer-service_response-ticket',
] as const;

/** What each role gives: read only. */
export function Matrix() {
  const { t } = useTranslation('permissions');
  const words = useWords();
  const roles = useRoles();
  if (roles.error && !roles.data)
    return <ErrorCard what={t(($) => $.what)} error={roles.error} onRetry={roles.refetch} />;
  if (!roles.data) return <Skeleton h={220} />;
  return (
    <ShortTable
      label={t(($) => $.tabs.roles)}
      columns={[
        { key: 'subject', label: t(($) => $.permission), render: (subject) => words.permission(subject) },
        ...roles.data.data.map((role) => ({
          key: role._id,
          label: words.role(role.name),
          render: (subject: (typeof SUBJECTS)[number]) => {
            const has = role.permissions.some((one) => one.subject === subject);
            const Icon = has ? IconCheck : IconMinus;
            return (
              <>
                <Icon size={16} aria-hidden />
                <Text span className="sr-only">
                  {has ? t(($) => $.yes) : t(($) => $.no)}
                </Text>
              </>
            );
          },
        })),
      ]}
      rows={SUBJECTS}
      rowKey={(subject) => subject}
    />
  );
}
