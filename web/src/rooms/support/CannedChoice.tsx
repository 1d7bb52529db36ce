import { ActionIcon, Anchor, Text, Tooltip } from '@mantine/core';
import { IconMessageBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import classes from './ChatPanel.module.css';
import { fill } from './canned';
import type { CannedOf, useCanned } from './useCanned';

export const CANNED_PAGE = '/customer-service/canned-replies';

/** The replies that are kept ready, above the field in which one looks for them. */
export function CannedChoice({ canned, choice }: { canned: CannedOf; choice: ReturnType<typeof useCanned> }) {
  const { t } = useTranslation('desk');
  if (!choice.shown) return null;
  return (
    <div className={classes.canned}>
      <div role="listbox" id={choice.list} aria-label={t(($) => $.canned.title)}>
        {choice.options.map((reply, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's, which stays focused.
          <div
            key={reply._id}
            id={`${choice.list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === choice.marked}
            className={classes.cannedOption}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choice.take(reply)}
          >
            <Text fz="sm" fw={600} truncate>
              {reply.title}
            </Text>
            <Text fz="xs" c="dimmed" truncate>
              {fill(reply.text[canned.locale], canned.values)}
            </Text>
          </div>
        ))}
      </div>
      {choice.options.length === 0 && (
        <Text fz="sm" c="dimmed" p={8} role="status">
          {t(($) => $.canned.none)}
        </Text>
      )}
      <div className={classes.cannedFoot}>
        <Text fz="xs" c="dimmed" visibleFrom="sm">
          {t(($) => $.canned.keys)}
        </Text>
        <Anchor component={Link} to={CANNED_PAGE} fz="xs">
          {t(($) => $.canned.manage)}
        </Anchor>
      </div>
    </div>
  );
}

/** Where there are no keys there is a button. */
export function CannedButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('desk');
  return (
    <Tooltip label={t(($) => $.canned.insert)}>
      <ActionIcon size={36} variant="default" aria-label={t(($) => $.canned.insert)} onClick={onClick}>
        <IconMessageBolt size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
