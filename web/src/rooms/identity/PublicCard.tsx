import { Card, Stack, Text, Title } from '@mantine/core';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { i18n } from '@/i18n';
import { Logo } from '@/ui/Logo';
import { usePageTitle } from '@/ui/pageTitle';
import classes from './PublicCard.module.css';

/** Not what the visitor came for: they follow the card. */
const PublicBar = lazy(() => import('./PublicBar'));
/** Where it does not come, the card does without. */
const PublicFoot = lazy<ComponentType>(() =>
  Promise.all([import('./legal/PublicFoot'), i18n.loadNamespaces('legal')]).then(
    ([foot]) => foot,
    () => ({ default: () => null }),
  ),
);

interface PublicCardProps {
  title: string;
  subtitle?: ReactNode;
  width?: number;
  children: ReactNode;
}

/** The frame of every public screen: one card, the language, what there is to read, no menu. */
export function PublicCard({ title, subtitle, width = 420, children }: PublicCardProps) {
  usePageTitle(title);
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <Suspense>
          <PublicBar />
        </Suspense>
      </header>
      <main className={classes.center}>
        <Logo size={40} />
        <Card className={classes.card ?? ''} maw={width} p={{ base: 'lg', sm: 'xl' }}>
          <Stack gap="lg">
            <div>
              <Title order={1} fz={24} lts="-0.02em" style={{ overflowWrap: 'anywhere' }}>
                {title}
              </Title>
              {subtitle && (
                <Text c="dimmed" fz="sm" mt={4} component="div">
                  {subtitle}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Card>
      </main>
      <footer className={classes.foot}>
        <Suspense>
          <PublicFoot />
        </Suspense>
      </footer>
    </div>
  );
}
