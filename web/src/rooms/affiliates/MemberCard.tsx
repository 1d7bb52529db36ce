import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconArrowsMaximize, IconChevronDown, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MemberFace } from '@/shared/people/MemberFace';
import { StatusBadge } from '@/shared/status/StatusBadge';
import { compare } from '@/ui/money';
import { Pairs } from '@/ui/Pairs';
import type { Member } from './tree';
import { useWords } from './words';

interface MemberCardProps {
  member: Member;
  me: string;
  top: string;
  loading: boolean;
  /** The name stands above already. */
  named?: boolean;
  onReveal: () => void;
  onTop: () => void;
}

/** Who somebody of the tree is: rank, points of each leg, whether matched points are paid, and what is missing for it. */
export function MemberCard({ member, me, top, loading, named = false, onReveal, onTop }: MemberCardProps) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const { node } = member;
  const own = node._id === me;
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg" data-member={node.username}>
      <Stack gap="sm" align="start">
        <div>
          {!named && (
            <Title order={2} fz={17} mb={6} style={{ overflowWrap: 'anywhere' }}>
              <MemberFace username={node.username} size={32} />
            </Title>
          )}
          <Group gap={6}>
            {own && <Badge color="blue">{t(($) => $.tree.you)}</Badge>}
            <StatusBadge status={node.status} />
            {node.rank && <Badge color="gold">{words.rank(node.rank)}</Badge>}
          </Group>
        </div>
        <Group gap="xs">
          {member.more && (
            <Button
              size="xs"
              mih={{ base: 44, sm: 30 }}
              variant="light"
              loading={loading}
              leftSection={<IconChevronDown size={16} aria-hidden />}
              onClick={onReveal}
            >
              {t(($) => $.tree.reveal)}
            </Button>
          )}
          {node._id !== top && (
            <Button
              size="xs"
              mih={{ base: 44, sm: 30 }}
              variant="default"
              leftSection={<IconArrowsMaximize size={16} aria-hidden />}
              onClick={onTop}
            >
              {t(($) => $.tree.fromHere)}
            </Button>
          )}
        </Group>
      </Stack>
      <div>
        <Pairs
          columns={[
            ...(node.leg
              ? [{ key: 'leg', label: t(($) => $.tree.leg), render: () => node.leg && words.leg(node.leg) }]
              : []),
            {
              key: 'left',
              label: t(($) => $.tree.pointsLeft),
              render: () => <LegPoints closed={node.leftPoints} now={node.leftNow} />,
            },
            {
              key: 'right',
              label: t(($) => $.tree.pointsRight),
              render: () => <LegPoints closed={node.rightPoints} now={node.rightNow} />,
            },
          ]}
          row={node}
        />
        <Text fz={12.5} c="dimmed" mt="xs">
          {t(($) => $.tree.pointsHint)}
        </Text>
      </div>
      {node.binaryActive ? (
        <Alert color="mint" variant="light" h="fit-content" icon={<IconCircleCheck size={18} aria-hidden />}>
          {t(($) => $.tree.qualified)}
        </Alert>
      ) : (
        <Alert color="gold" variant="light" h="fit-content" title={t(($) => $.tree.notQualified)}>
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {node.binaryNeeds.map((need) => (
              <li key={need}>{words.need(need)}</li>
            ))}
          </ul>
        </Alert>
      )}
    </SimpleGrid>
  );
}

/** What the last closing left on a leg, and what stands there with the sales since. */
function LegPoints({ closed, now }: { closed: string; now: string }) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  return (
    <span className="num">
      <span>{words.points(closed)}</span>
      {compare(now, closed) !== 0 && (
        <Text span display="block" fz={12.5} c="dimmed">
          {t(($) => $.tree.now, { points: words.points(now) })}
        </Text>
      )}
    </span>
  );
}
