import { ActionIcon, Badge, Group, Loader, Text, UnstyledButton } from '@mantine/core';
import { IconAlertCircle, IconChevronDown, IconChevronRight, IconCircleCheck } from '@tabler/icons-react';
import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MemberName } from '@/shared/network/MemberName';
import { useMemberName } from '@/shared/network/useMemberName';
import { Face } from '@/shared/people/MemberFace';
import { useMemberText } from './memberText';
import classes from './Tree.module.css';
import { listed, type Member, type Rise, type Team } from './tree';
import { STEP_MS } from './useRise';
import { useWords } from './words';

interface TreeListProps {
  team: Team;
  me: string;
  chosen: string | null;
  /** Points that have just come go up their path. */
  rise: Rise;
  loading: ReadonlySet<string>;
  onChoose: (id: string) => void;
  onReveal: (id: string) => void;
}

/** The same tree line by line: for a phone, for who hears it, and for who would rather read. */
export function TreeList({ team, me, chosen, rise, loading, onChoose, onReveal }: TreeListProps) {
  const { t } = useTranslation('affiliates');
  const name = useMemberName();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const rows = listed(team, closed);
  const isOpen = ({ node, left, right }: Member) =>
    (left !== null || right !== null) && !closed.has(node._id);
  const turn = (member: Member) => {
    const { _id } = member.node;
    if (member.more) {
      onReveal(_id);
      return;
    }
    const next = new Set(closed);
    if (!next.delete(_id)) next.add(_id);
    setClosed(next);
  };
  const press = (event: KeyboardEvent, member: Member, at: number) => {
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
    const open = isOpen(member);
    if (to !== undefined) list.current?.querySelectorAll<HTMLElement>('[data-row]')[to]?.focus();
    else if (event.key === 'ArrowRight' && !open && canTurn(member)) turn(member);
    else if (event.key === 'ArrowLeft' && open) turn(member);
    else return;
    event.preventDefault();
  };
  return (
    <ul className={classes.list} ref={list} aria-label={t(($) => $.tree.listLabel)}>
      {rows.map((member, at) => (
        <li key={member.node._id} style={{ '--depth': Math.min(member.depth, 12) } as CSSProperties}>
          {canTurn(member) ? (
            <ActionIcon
              size={44}
              aria-expanded={isOpen(member)}
              aria-label={
                isOpen(member)
                  ? t(($) => $.tree.hideBelow, { name: name(member.node.username) })
                  : t(($) => $.tree.showBelow, { name: name(member.node.username) })
              }
              onClick={() => turn(member)}
            >
              {loading.has(member.node._id) ? (
                <Loader size={16} aria-hidden />
              ) : isOpen(member) ? (
                <IconChevronDown size={18} aria-hidden />
              ) : (
                <IconChevronRight size={18} aria-hidden />
              )}
            </ActionIcon>
          ) : (
            <span className={classes.noTurn} aria-hidden />
          )}
          <Row
            member={member}
            me={me}
            chosen={member.node._id === chosen}
            step={rise.get(member.node._id)}
            onChoose={() => onChoose(member.node._id)}
            onKeyDown={(event) => press(event, member, at)}
          />
        </li>
      ))}
    </ul>
  );
}

const canTurn = ({ left, right, more }: Member) => left !== null || right !== null || more;

interface RowProps {
  member: Member;
  me: string;
  chosen: boolean;
  /** Steps above who sold, while points go up. */
  step: number | undefined;
  onChoose: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function Row({ member, me, chosen, step, onChoose, onKeyDown }: RowProps) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const text = useMemberText();
  const { node } = member;
  const Icon = node.binaryActive ? IconCircleCheck : IconAlertCircle;
  return (
    <UnstyledButton
      className={classes.row}
      data-row
      data-leg={node.leg ?? undefined}
      data-chosen={chosen || undefined}
      data-inactive={node.status === 'inactive' || undefined}
      data-rise={step}
      style={step === undefined ? {} : ({ '--after': `${step * STEP_MS}ms` } as CSSProperties)}
      aria-pressed={chosen}
      aria-label={t(($) => $.tree.rowLabel, { level: member.depth, text: text(member, me) })}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <Group gap={8} wrap="nowrap" miw={0}>
        {node.leg && (
          <span className={classes.side} data-leg={node.leg}>
            {words.leg(node.leg).slice(0, 1)}
          </span>
        )}
        <Face username={node.username} />
        <Text span fz="sm" fw={600} truncate>
          <MemberName username={node.username} />
        </Text>
        {node._id === me && (
          <Badge size="xs" color="blue">
            {t(($) => $.tree.you)}
          </Badge>
        )}
        {node.rank && (
          <Badge size="xs" color="gold" visibleFrom="xs">
            {words.rank(node.rank)}
          </Badge>
        )}
      </Group>
      <Group gap={8} wrap="nowrap" style={{ flex: 'none' }}>
        <Text span fz={12.5} c="dimmed" className="num">
          <span>{words.points(node.leftPoints)}</span> | <span>{words.points(node.rightPoints)}</span>
        </Text>
        <Icon size={16} className={classes.mark} data-on={node.binaryActive || undefined} aria-hidden />
      </Group>
    </UnstyledButton>
  );
}
