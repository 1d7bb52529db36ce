import { Group, Radio, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Plan } from '@/live/licences';
import { useFormat } from '@/ui/format';
import { Money } from '@/ui/Money';
import { buyLicence } from './licences';
import { PurchaseDialog } from './PurchaseDialog';
import { useLicenceTerms } from './useLicenceTerms';

interface BuyLicenceProps {
  plans: readonly Plan[];
  /** The plan whose card was pressed. */
  first: Plan;
  onClose: () => void;
}

export function BuyLicence({ plans, first, onClose }: BuyLicenceProps) {
  const { t } = useTranslation('licences');
  const { percent } = useFormat();
  const days = useLicenceTerms().data?.cancelDays;
  const [plan, setPlan] = useState(first);
  const choice = (
    <Radio.Group
      label={t(($) => $.buy.choose)}
      value={plan._id}
      onChange={(id) => setPlan(plans.find((one) => one._id === id) ?? plan)}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        {plans.map((one) => (
          <Radio.Card key={one._id} value={one._id} p="sm" radius="md">
            <Group wrap="nowrap" gap="sm">
              <Radio.Indicator />
              <div>
                <Text fw={600} className="num">
                  <Money value={one.value} />
                </Text>
                <Text fz="xs" c="dimmed">
                  {one.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
  return (
    <PurchaseDialog
      title={t(($) => $.buy.title)}
      choice={{ label: t(($) => $.buy.plan), content: choice }}
      sources={['available', 'sponsored']}
      price={plan.value}
      intent={{
        kind: 'license',
        licenseValue: plan.value,
        isHighRisk: plan.isHighRisk,
        planId: plan._id,
      }}
      facts={[
        [t(($) => $.buy.plan), <Money key="v" value={plan.value} />],
        [t(($) => $.risk), plan.isHighRisk ? t(($) => $.highRisk) : t(($) => $.standard)],
        [t(($) => $.limit), <Money key="l" value={plan.allocationLimit} />],
        [t(($) => $.maximumReturn), percent(plan.maximumReturn, 0)],
      ]}
      hint={days === undefined ? '' : t(($) => $.buy.cancelHint, { days })}
      chainHint={(total) => t(($) => $.buy.cryptoHint, { total })}
      insufficient={t(($) => $.buy.insufficient)}
      confirm={t(($) => $.buy.confirm)}
      done={t(($) => $.buy.done)}
      pay={async (source, key) => {
        // The step before has asked for the risk to be accepted.
        const { transfers } = await buyLicence({ plan: plan._id, source }, key);
        return transfers;
      }}
      onClose={onClose}
    />
  );
}
