import { Badge, Group, Tooltip } from '@mantine/core';
import {
  IconBinaryTree,
  IconDeviceMobile,
  IconFingerprint,
  IconMailCheck,
  IconMailForward,
  IconMailX,
  IconShieldCheck,
  IconShieldOff,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Row } from './people';

interface StatesProps {
  person: Pick<Row, 'emailConfirmed' | 'twoFactor' | 'binaryActive' | 'invited'>;
  /** In a list: the words stand behind the signs. */
  short?: boolean;
}

/** How an account stands: e-mail, second factors, binary bonus. */
export function States({ person, short = false }: StatesProps) {
  const { t } = useTranslation('people');
  const { emailConfirmed, twoFactor, binaryActive, invited } = person;
  const states = [
    invited
      ? ({ key: 'invited', color: 'blue', Icon: IconMailForward } as const)
      : emailConfirmed
        ? ({ key: 'emailConfirmed', color: 'mint', Icon: IconMailCheck } as const)
        : ({ key: 'emailOpen', color: 'gold', Icon: IconMailX } as const),
    twoFactor.email && ({ key: 'factorEmail', color: 'mint', Icon: IconShieldCheck } as const),
    twoFactor.app && ({ key: 'factorApp', color: 'mint', Icon: IconDeviceMobile } as const),
    twoFactor.passkey && ({ key: 'factorPasskey', color: 'mint', Icon: IconFingerprint } as const),
    !twoFactor.email &&
      !twoFactor.app &&
      !twoFactor.passkey &&
      ({ key: 'noFactor', color: 'gray', Icon: IconShieldOff } as const),
    binaryActive
      ? ({ key: 'binary', color: 'mint', Icon: IconBinaryTree } as const)
      : ({ key: 'noBinary', color: 'gray', Icon: IconBinaryTree } as const),
  ].filter((state) => state !== false);
  return (
    <Group gap={4} wrap={short ? 'nowrap' : 'wrap'}>
      {states.map(({ key, color, Icon }) =>
        short ? (
          <Tooltip key={key} label={t(($) => $.states[key])}>
            <Badge color={color} variant="light" px={5}>
              <Icon size={13} stroke={1.8} aria-hidden style={{ display: 'block' }} />
              <span className="sr-only">{t(($) => $.states[key])}</span>
            </Badge>
          </Tooltip>
        ) : (
          <Badge
            key={key}
            color={color}
            variant="light"
            tt="none"
            fw={500}
            leftSection={<Icon size={13} stroke={1.8} aria-hidden />}
          >
            {t(($) => $.states[key])}
          </Badge>
        ),
      )}
    </Group>
  );
}
