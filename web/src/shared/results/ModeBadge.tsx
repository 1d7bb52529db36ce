import { Badge, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from '@/ui/badges.module.css';

export type Mode = 'simulated' | 'paper' | 'live';
const COLORS: Record<Mode, string> = { simulated: 'gold', paper: 'blue', live: 'mint' };

/** SIMULADO, PAPEL or REAL: beside every result. */
export function ModeBadge({ mode, size = 'sm' }: { mode: Mode; size?: 'xs' | 'sm' }) {
  const { t } = useTranslation('shell');
  return (
    <Tooltip label={t(($) => $.mode.hint[mode])} multiline maw={260}>
      <Badge size={size} color={COLORS[mode]} variant="light" className={classes.badge} data-mode={mode}>
        {t(($) => $.mode.name[mode])}
      </Badge>
    </Tooltip>
  );
}
