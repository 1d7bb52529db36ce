/** The drawing of the binary tree, in a file of its own so that the library is loaded with the first drawing. */
import '@xyflow/react/dist/base.css';
import { ActionIcon, Group, Loader, Tooltip } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import {
  IconAlertCircle,
  IconCircleCheck,
  IconFocusCentered,
  IconMinus,
  IconPlus,
  IconStar,
} from '@tabler/icons-react';
import {
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MemberName } from '@/shared/network/MemberName';
import { useMemberName } from '@/shared/network/useMemberName';
import { Face } from '@/shared/people/MemberFace';
import { InviteLink } from './InviteLink';
import { draw, NODE, type Place, sizeOf } from './layout';
import { useMemberText } from './memberText';
import type { Leg } from './network';
import classes from './Tree.module.css';
import { neighbour, type Rise, type Team } from './tree';
import { STEP_MS } from './useRise';
import { useWords } from './words';

interface TreeCanvasProps {
  team: Team;
  me: string;
  /** Where the next newcomer comes, if that is among those shown. */
  next: { parent: string; leg: Leg } | null;
  chosen: string;
  /** Points that have just come go up their path. */
  rise: Rise;
  loading: ReadonlySet<string>;
  onChoose: (id: string) => void;
  onReveal: (id: string) => void;
}

interface Data extends Record<string, unknown> {
  place: Place;
  me: string;
  chosen: boolean;
  /** Steps above who sold, while points go up. */
  step: number | undefined;
  loading: boolean;
  onChoose: (id: string) => void;
  onReveal: (id: string) => void;
}

type Drawn = Node<Data, 'place'>;

const NODE_TYPES = { place: PlaceNode };
const FIT = { padding: 0.05, maxZoom: 1, minZoom: 0.15 } as const;
/** Below it nothing can be read: what does not fit is panned to. */
const READABLE = 0.72;
const MARGIN = 24;
const MOVE_MS = 220;

export default function TreeCanvas(props: TreeCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

const idOf = (id: string) => `member-${id}`;
const delay = (step: number | undefined) =>
  step === undefined ? {} : ({ '--after': `${step * STEP_MS}ms` } as CSSProperties);

function Canvas({ team, me, next, chosen, rise, loading, onChoose, onReveal }: TreeCanvasProps) {
  const { t } = useTranslation('affiliates');
  const flow = useReactFlow<Drawn>();
  const still = useReducedMotion();
  const duration = still ? 0 : MOVE_MS;
  const area = useRef<HTMLDivElement>(null);
  const { places, edges } = draw(team, next);
  const nodes: Drawn[] = places.map(({ place, x, y }) => ({
    id: place.id,
    type: 'place',
    position: { x: x - sizeOf(place).width / 2, y },
    ...sizeOf(place),
    data: {
      place,
      me,
      chosen: place.id === chosen,
      step: rise.get(place.id),
      loading: loading.has(place.id),
      onChoose,
      onReveal,
    },
  }));
  const lines: Edge[] = edges.map(({ from, to, leg, free }) => ({
    id: `${from}-${to}`,
    source: from,
    target: to,
    type: 'smoothstep',
    className: `${classes.edge} ${rise.has(to) && rise.has(from) ? classes.carries : ''}`,
    data: { leg },
    style: {
      ...delay(rise.get(to)),
      stroke: leg === 'left' ? 'var(--up)' : 'var(--gold-dot)',
      strokeOpacity: free ? 0.35 : 0.8,
      strokeWidth: 2,
      ...(leg === 'right' && { strokeDasharray: '7 5' }),
    },
  }));
  // All of it if that can be read; else the topmost in the middle of the upper edge.
  const begin = (ms: number) => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = area.current ?? {};
    if (width === 0 || height === 0) return;
    const edges = places.flatMap(({ place, x }) => {
      const half = sizeOf(place).width / 2;
      return [x - half, x + half];
    });
    const [from, to] = [Math.min(...edges), Math.max(...edges)];
    const low = Math.max(...places.map(({ place, y }) => y + sizeOf(place).height));
    const wide = (width - 2 * MARGIN) / (to - from);
    const fit = Math.min(wide, (height - 2 * MARGIN) / low);
    const zoom = Math.min(1, Math.max(READABLE, fit));
    const middle = wide < zoom ? 0 : (from + to) / 2;
    void flow.setViewport({ x: width / 2 - middle * zoom, y: MARGIN, zoom }, { duration: ms });
  };
  // Another topmost member is another drawing; further members below keep what one looks at.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the topmost one moves the view.
  useEffect(() => begin(duration), [team.top]);
  const look = (id: string) => {
    const place = places.find((one) => one.place.id === id);
    if (!place) return;
    document.getElementById(idOf(id))?.focus({ preventScroll: true });
    void flow.setCenter(place.x, place.y + NODE.height / 2, {
      zoom: Math.max(flow.getZoom(), READABLE),
      duration,
    });
  };
  // The one who has the focus stays in the order of Tab: the arrows lead on from there.
  const keepInTabOrder = (id: string) => {
    for (const one of area.current?.querySelectorAll<HTMLElement>('[data-member-node]') ?? [])
      one.tabIndex = one.id === idOf(id) ? 0 : -1;
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focused = document.activeElement?.id.replace('member-', '') ?? '';
    const member = team.byId.get(focused);
    if (event.key === '+' || event.key === '=') void flow.zoomIn({ duration });
    else if (event.key === '-') void flow.zoomOut({ duration });
    else if (!member) return;
    else {
      const to = neighbour(team, focused, event.key);
      if (to !== null) {
        keepInTabOrder(to);
        look(to);
      } else if (event.key === 'ArrowDown' && member.more) onReveal(focused);
      else return;
    }
    event.preventDefault();
  };
  const tools = [
    { text: t(($) => $.tree.zoomIn), Icon: IconPlus, act: () => flow.zoomIn({ duration }) },
    { text: t(($) => $.tree.zoomOut), Icon: IconMinus, act: () => flow.zoomOut({ duration }) },
    { text: t(($) => $.tree.fit), Icon: IconFocusCentered, act: () => flow.fitView({ ...FIT, duration }) },
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the members inside, which are buttons.
    <div className={classes.canvas} ref={area} onKeyDown={press}>
      <ReactFlow
        nodes={nodes}
        edges={lines}
        nodeTypes={NODE_TYPES}
        aria-label={t(($) => $.tree.canvas)}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        // The page scrolls over the drawing; Ctrl and the wheel, two fingers, buttons and keys zoom.
        zoomOnScroll={false}
        preventScrolling={false}
        minZoom={0.15}
        maxZoom={1.6}
        onInit={() => begin(0)}
      >
        <Panel position="bottom-left">
          <Group gap={6}>
            {tools.map(({ text, Icon, act }) => (
              <Tooltip key={text} label={text}>
                <ActionIcon variant="default" size={40} aria-label={text} onClick={() => void act()}>
                  <Icon size={18} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ))}
          </Group>
        </Panel>
      </ReactFlow>
    </div>
  );
}

function PlaceNode({ data }: NodeProps<Drawn>) {
  return (
    <>
      <Handle type="target" position={Position.Top} className={classes.handle ?? ''} isConnectable={false} />
      {data.place.kind === 'member' ? (
        <MemberNode {...data} place={data.place} />
      ) : (
        <FreeNode place={data.place} />
      )}
      <Handle
        type="source"
        position={Position.Bottom}
        className={classes.handle ?? ''}
        isConnectable={false}
      />
    </>
  );
}

function FreeNode({ place }: { place: Extract<Place, { kind: 'free' | 'next' }> }) {
  const { t } = useTranslation('affiliates');
  if (place.kind === 'free') return <div className={classes.free}>{t(($) => $.tree.free)}</div>;
  return (
    <div className={classes.free} data-next>
      <span>{t(($) => $.tree.next)}</span>
      <InviteLink brief />
    </div>
  );
}

type MemberNodeProps = Data & { place: Extract<Place, { kind: 'member' }> };

function MemberNode({ place, me, chosen, step, loading, onChoose, onReveal }: MemberNodeProps) {
  const { t } = useTranslation('affiliates');
  const words = useWords();
  const text = useMemberText();
  const name = useMemberName();
  const { node, more } = place.member;
  const Icon = node.binaryActive ? IconCircleCheck : IconAlertCircle;
  return (
    <>
      <button
        type="button"
        id={idOf(node._id)}
        data-member-node
        className={`${classes.node} nopan`}
        data-me={node._id === me || undefined}
        data-chosen={chosen || undefined}
        data-inactive={node.status === 'inactive' || undefined}
        data-rise={step}
        style={delay(step)}
        tabIndex={chosen ? 0 : -1}
        aria-pressed={chosen}
        aria-label={text(place.member, me)}
        onClick={() => onChoose(node._id)}
      >
        <span className={classes.name}>
          <Face username={node.username} size={20} />
          <span className={classes.called}>
            <MemberName username={node.username} />
          </span>
          {node.rank && <IconStar size={14} className={classes.star} aria-hidden />}
          <Icon size={16} className={classes.mark} data-on={node.binaryActive || undefined} aria-hidden />
        </span>
        <span className={classes.points}>
          <span data-leg="left">{words.points(node.leftPoints)}</span>
          <span data-leg="right">{words.points(node.rightPoints)}</span>
        </span>
      </button>
      {more && (
        <button
          type="button"
          className={`${classes.more} nopan`}
          tabIndex={-1}
          aria-label={t(($) => $.tree.showBelow, { name: name(node.username) })}
          onClick={() => onReveal(node._id)}
        >
          {loading ? <Loader size={12} aria-hidden /> : <IconPlus size={14} aria-hidden />}
        </button>
      )}
    </>
  );
}
