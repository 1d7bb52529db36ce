import { Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { MoneyInput } from '@/ui/MoneyInput';
import { compare, isPositive } from '@/ui/money';
import type { Pool } from './PoolsTab';
import { PurchaseDialog } from './PurchaseDialog';
import { joinPool } from './pools';

interface JoinPoolProps {
  pools: readonly Pool[];
  first: Pool;
  onClose: () => void;
}

export function JoinPool({ pools, first, onClose }: JoinPoolProps) {
  const { t } = useTranslation('licences');
  const { decimal } = useFormat();
  const [pool, setPool] = useState(first);
  const [value, setValue] = useState('');
  const large = value !== '' && isPositive(value) && compare(value, pool.minimum) >= 0;
  const choice = (
    <Stack gap="md">
      <Radio.Group
        label={t(($) => $.pools.choose)}
        value={pool._id}
        onChange={(id) => setPool(pools.find((one) => one._id === id) ?? pool)}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {pools.map((one) => (
            <Radio.Card key={one._id} value={one._id} p="sm" radius="md">
              <Group wrap="nowrap" gap="sm">
                <Radio.Indicator />
                <div>
                  <Text fw={600}>{one.name}</Text>
                  <Text fz="xs" c="dimmed">
                    {t(($) => $.pools.termDays, { count: one.termDays })}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <MoneyInput
        label={t(($) => $.value)}
        value={value}
        onChange={setValue}
        description={t(($) => $.pools.atLeast, { minimum: decimal(pool.minimum, 2) })}
        positive
        required
      />
    </Stack>
  );
  return (
    <PurchaseDialog
      title={t(($) => $.pools.joinTitle)}
      choice={{
        label: t(($) => $.pools.pool),
        content: choice,
        refusal: large ? undefined : t(($) => $.pools.tooSmall, { minimum: decimal(pool.minimum, 2) }),
      }}
      sources={['available']}
      price={value || '0'}
      intent={{
        kind: 'liquidity_for_pools',
        licenseValue: value || '0',
        isHighRisk: false,
        planId: pool._id,
      }}
      warning={t(($) => $.pools.noLeaving, { count: pool.termDays })}
      facts={[
        [t(($) => $.pools.pool), pool.name],
        [t(($) => $.value), <Money key="v" value={value || '0'} digits={6} />],
        [t(($) => $.pools.term), t(($) => $.pools.termDays, { count: pool.termDays })],
      ]}
      hint={t(($) => $.pools.stays)}
      insufficient={t(($) => $.pools.insufficient)}
      confirm={t(($) => $.pools.confirm)}
      done={t(($) => $.pools.done)}
      pay={async (_, key) => (await joinPool({ plan: pool._id, value, riskAccepted: true }, key)).transfers}
      onClose={onClose}
    />
  );
}
