import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconEye,
  IconMailForward,
  IconPencil,
  IconUserCheck,
  IconUserOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useCan } from '@/api/session';
import { personPath } from '@/shared/people/PersonCell';
import { toast } from '@/ui/toast';
import { usePress } from '@/ui/usePress';
import { inviteAgain } from './people';
import { StatusDialog } from './StatusDialog';

export const editPath = (id: string) => `/administrator/users/edit/${encodeURIComponent(id)}`;

interface PersonMenuProps {
  person: {
    _id: string;
    fullName: string;
    username: string;
    status: string;
    invited: boolean;
    editable: boolean;
  };
  two: boolean;
}

/** What can be done with a person from the list, as far as the server lets one change them. */
export function PersonMenu({ person, two }: PersonMenuProps) {
  const { t } = useTranslation('people');
  const views = useCan('customer-service_user-view');
  const [switching, setSwitching] = useState(false);
  const again = usePress(inviteAgain, () => toast.success(t(($) => $.invite.again)));
  if (!views && !person.editable) return null;
  const off = person.status === 'active';
  const StatusIcon = off ? IconUserOff : IconUserCheck;
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t(($) => $.list.actions, { name: person.username })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {views && (
            <Menu.Item
              component={Link}
              to={personPath(person._id)}
              leftSection={<IconEye size={16} aria-hidden />}
            >
              {t(($) => $.actions.view)}
            </Menu.Item>
          )}
          {person.editable && (
            <>
              <Menu.Item
                component={Link}
                to={editPath(person._id)}
                leftSection={<IconPencil size={16} aria-hidden />}
              >
                {t(($) => $.actions.edit)}
              </Menu.Item>
              {person.invited && (
                <Menu.Item
                  leftSection={<IconMailForward size={16} aria-hidden />}
                  onClick={() => void again.run(person._id)}
                >
                  {t(($) => $.actions.inviteAgain)}
                </Menu.Item>
              )}
              <Menu.Item
                color={off ? 'red' : undefined}
                leftSection={<StatusIcon size={16} aria-hidden />}
                onClick={() => setSwitching(true)}
              >
                {t(($) => $.status[off ? 'deactivate' : 'activate'].action)}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {switching && <StatusDialog person={person} two={two} onClose={() => setSwitching(false)} />}
    </>
  );
}
