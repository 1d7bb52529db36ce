import { Alert, Collapse, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconChevronDown } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

interface RiskNoticeProps {
  /** On the dashboard it folds to one line, but never leaves. */
  foldable?: boolean;
  defaultOpen?: boolean;
}

export function RiskNotice({ foldable = false, defaultOpen = !foldable }: RiskNoticeProps) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(defaultOpen);
  const id = useId();
  const points = [
    t(($) => $.risk.loss),
    t(($) => $.risk.guarantee),
    t(($) => $.risk.mode),
    t(($) => $.risk.bonus),
    t(($) => $.risk.own),
  ];
  const body = (
    <ul style={{ margin: '6px 0 0', paddingLeft: 18 }}>
      {points.map((point) => (
        <Text key={point} component="li" fz="sm">
          {point}
        </Text>
      ))}
    </ul>
  );
  return (
    <Alert
      color="gold"
      variant="light"
      p={foldable ? 'xs' : 'md'}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      role="note"
      aria-label={t(($) => $.risk.title)}
    >
      {foldable ? (
        <>
          <UnstyledButton
            onClick={toggle}
            aria-expanded={opened}
            aria-controls={id}
            w="100%"
            display="flex"
            style={{ justifyContent: 'space-between', gap: 12, alignItems: 'center' }}
          >
            <Text fz="sm" fw={500}>
              {t(($) => $.risk.short)}
            </Text>
            <IconChevronDown
              size={17}
              aria-hidden
              style={{ transform: opened ? 'rotate(180deg)' : undefined, flex: 'none' }}
            />
          </UnstyledButton>
          <Collapse expanded={opened} id={id}>
            {body}
          </Collapse>
        </>
      ) : (
        <>
          <Text fz="sm" fw={600}>
            {t(($) => $.risk.title)}
          </Text>
          {body}
        </>
      )}
    </Alert>
  );
}
