/** The binary tree as it is shown: answers put together, who stands where, what the arrow keys lead to. Pure. */
import { compare } from '@/ui/money';
import type { BinaryTree, Leg, TreeNode } from './network';

export interface Member {
  node: TreeNode;
  /** Steps below the topmost. */
  depth: number;
  left: string | null;
  right: string | null;
  /** Somebody stands below who was not asked for yet. */
  more: boolean;
}

export interface Team {
  top: string;
  byId: ReadonlyMap<string, Member>;
  /** Level by level, from left to right. */
  rows: readonly (readonly string[])[];
}

/** The answer of the topmost first, then those of members below it, each of whom stands in one before. Of one member the newest answer
 *  counts; where it stands only the answer from above knows. */
export function merge(answers: readonly (BinaryTree | undefined)[]): Team | null {
  const nodes = new Map<string, TreeNode>();
  for (const answer of answers)
    for (const node of answer?.nodes ?? []) {
      const known = nodes.get(node._id);
      nodes.set(node._id, known?.parent ? { ...node, parent: known.parent, leg: known.leg ?? null } : node);
    }
  const top = answers[0]?.nodes[0]?._id;
  if (top === undefined) return null;
  const below = new Map<string, Partial<Record<Leg, string>>>();
  for (const { _id, parent, leg } of nodes.values())
    if (parent && leg && _id !== top) below.set(parent, { ...below.get(parent), [leg]: _id });
  const byId = new Map<string, Member>();
  const rows: string[][] = [];
  let row = [top];
  while (row.length > 0) {
    const next: string[] = [];
    for (const id of row) {
      const node = nodes.get(id);
      if (!node) continue;
      const { left = null, right = null } = below.get(id) ?? {};
      byId.set(id, {
        node,
        depth: rows.length,
        left,
        right,
        more: (node.hasLeft && left === null) || (node.hasRight && right === null),
      });
      for (const child of [left, right]) if (child !== null) next.push(child);
    }
    rows.push(row);
    row = next;
  }
  return { top, byId, rows };
}

/** Where the next newcomer of a member will stand: at the outermost place of the selected leg. None while that end is not shown. */
export function nextPlace(team: Team, me: string, leg: Leg): { parent: string; leg: Leg } | null {
  let at = team.byId.get(me);
  while (at) {
    const child = at[leg];
    if (child === null) {
      const taken = leg === 'left' ? at.node.hasLeft : at.node.hasRight;
      return taken ? null : { parent: at.node._id, leg };
    }
    at = team.byId.get(child);
  }
  return null;
}

/** Whom a key leads to: up to the parent, down to a child, sideways on the same level, Home to the topmost. */
export function neighbour(team: Team, id: string, key: string): string | null {
  const member = team.byId.get(id);
  if (!member) return null;
  const row = team.rows[member.depth] ?? [];
  switch (key) {
    case 'ArrowUp':
      return id === team.top ? null : (member.node.parent ?? null);
    case 'ArrowDown':
      return member.left ?? member.right;
    case 'ArrowLeft':
      return row[row.indexOf(id) - 1] ?? null;
    case 'ArrowRight':
      return row[row.indexOf(id) + 1] ?? null;
    case 'Home':
      return team.top;
    default:
      return null;
  }
}

/** Whom points have just reached: how many steps above the one who sold, of those shown. */
export type Rise = ReadonlyMap<string, number>;

/** Points that came between two looks go up from who sold, or from the lowest that is shown above, to the topmost: the steps of each on the way.
 *  Who sold gets no points on its own legs: it is the one at the lower end of a leg that rose. */
export function risen(before: Team, now: Team): Rise {
  const steps = new Map<string, number>();
  const visit = (id: string): number | null => {
    const member = now.byId.get(id);
    const was = before.byId.get(id)?.node;
    if (!member || !was) return null;
    const { node, left, right } = member;
    // Everyone is looked at: those below may be of an answer of their own.
    const below = {
      left: left === null ? null : visit(left),
      right: right === null ? null : visit(right),
    };
    const came: Leg[] = [];
    if (compare(node.leftNow, was.leftNow) > 0) came.push('left');
    if (compare(node.rightNow, was.rightNow) > 0) came.push('right');
    if (came.length === 0) return null;
    const from = came.map((leg) => {
      const child = member[leg];
      if (child === null) return -1;
      if (below[leg] === null) steps.set(child, 0);
      return below[leg] ?? 0;
    });
    const step = Math.max(...from) + 1;
    steps.set(id, step);
    return step;
  };
  visit(now.top);
  return steps;
}

/** The members of a list in its order, those below a closed one left out. */
export function listed(team: Team, closed: ReadonlySet<string>): Member[] {
  const found: Member[] = [];
  const visit = (id: string | null) => {
    const member = id === null ? undefined : team.byId.get(id);
    if (!member) return;
    found.push(member);
    if (closed.has(member.node._id)) return;
    visit(member.left);
    visit(member.right);
  };
  visit(team.top);
  return found;
}
