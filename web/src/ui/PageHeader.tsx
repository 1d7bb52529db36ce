import { Box, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { LiveBadge } from './LiveBadge';
import classes from './PageHeader.module.css';
import { usePageTitle } from './pageTitle';

interface PageHeaderProps {
  title: string;
  subtitle?: ReactNode;
  /** The connection's state beside the title, on screens that tick, where the shell's header has no room for it. */
  live?: boolean;
  /** The one thing to do here; a second one may stand beside it. */
  action?: ReactNode;
}

export function PageHeader({ title, subtitle, live = false, action }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className={classes.header}>
      <div>
        <div className={classes.title}>
          <Title order={1} fz={{ base: 22, sm: 26 }} lts="-0.025em">
            {title}
          </Title>
          {live && (
            <Box hiddenFrom="lg">
              <LiveBadge />
            </Box>
          )}
        </div>
        {subtitle && (
          <Text c="dimmed" fz="sm" mt={2}>
            {subtitle}
          </Text>
        )}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </header>
  );
}
