/** What the tab of a look shows when it is over, in place of everything else. */
import { Button, Card, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LOOKED_AT, leaveLook } from '@/api/look';
import { useUser } from '@/api/session';
import { Logo } from '@/ui/Logo';

export default function LookOver() {
  const { t } = useTranslation();
  // Loaded again there is nobody here any more: the way back is the tab's own.
  const id = useUser()?._id ?? LOOKED_AT;
  return (
    <Stack component="main" mih="100dvh" align="center" justify="center" gap="lg" p="md">
      <Logo size={40} />
      <Card maw={420} p={{ base: 'lg', sm: 'xl' }}>
        <Stack gap="lg">
          <div>
            <Title order={1} fz={24} lts="-0.02em">
              {t(($) => $.look.over)}
            </Title>
            <Text c="dimmed" fz="sm" mt={4}>
              {t(($) => $.look.overHint)}
            </Text>
          </div>
          <Button
            size="md"
            autoFocus
            onClick={() => leaveLook(id ? `/administrator/users/view/${encodeURIComponent(id)}` : '/')}
          >
            {t(($) => $.look.back)}
          </Button>
        </Stack>
      </Card>
    </Stack>
  );
}
