/** Where each place of the tree is drawn. Apart from the tree itself, so that the list does not load what only drawing needs. */
import { hierarchy, tree } from 'd3-hierarchy';
import type { Leg } from './network';
import type { Member, Team } from './tree';

export const NODE = { width: 144, height: 76 } as const;
/** A place where nobody stands takes less. */
export const FREE = { width: 92, height: 52 } as const;
const GAP = { x: 16, y: 52 } as const;

export const sizeOf = ({ kind }: Place) => (kind === 'free' ? FREE : NODE);

export type Place =
  | { kind: 'member'; id: string; leg: Leg | null; member: Member }
  /** Nobody stands there: beside somebody's only child, or where the next newcomer comes. */
  | { kind: 'free' | 'next'; id: string; leg: Leg };

export interface Drawn {
  places: { place: Place; x: number; y: number }[];
  edges: { from: string; to: string; leg: Leg; free: boolean }[];
}

interface Branch {
  place: Place;
  below: Branch[];
}

/** A child that stands alone keeps its side: the other place is drawn as free. */
export function draw(team: Team, next: { parent: string; leg: Leg } | null): Drawn {
  const branch = (id: string, leg: Leg | null): Branch[] => {
    const member = team.byId.get(id);
    if (!member) return [];
    const comes = next?.parent === id;
    const below = (['left', 'right'] as const).flatMap((side): Branch[] => {
      const child = member[side];
      if (child !== null) return branch(child, side);
      const here = comes && next.leg === side;
      const beside = member.left !== null || member.right !== null;
      if (!here && !beside) return [];
      return [{ place: { kind: here ? 'next' : 'free', id: `${id}:${side}`, leg: side }, below: [] }];
    });
    return [{ place: { kind: 'member', id, leg, member }, below }];
  };
  const [root] = branch(team.top, null);
  if (!root) return { places: [], edges: [] };
  const width = (branch: Branch) => sizeOf(branch.place).width;
  const drawn = tree<Branch>()
    .nodeSize([1, NODE.height + GAP.y])
    .separation((a, b) => (width(a.data) + width(b.data)) / 2 + GAP.x)(hierarchy(root, ({ below }) => below));
  return {
    places: drawn.descendants().map(({ data, x, y }) => ({ place: data.place, x, y })),
    edges: drawn.links().flatMap(({ source, target }) => {
      const { id, leg, kind } = target.data.place;
      return leg === null ? [] : [{ from: source.data.place.id, to: id, leg, free: kind !== 'member' }];
    }),
  };
}
