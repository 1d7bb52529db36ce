/** Points that came while one looks at the tree, for as long as they flash up their path. */
import { useEffect, useRef, useState } from 'react';
import { type Rise, risen, type Team } from './tree';

const NONE: Rise = new Map();
/** From one member to the next above. */
export const STEP_MS = 140;
const FLASH_MS = 900;

/** `of`: another part of the tree, or another day's points, is nothing that came. */
export function useRise(team: Team | null, of: string): Rise {
  const before = useRef<{ of: string; team: Team } | null>(null);
  const [rise, setRise] = useState(NONE);
  const points = [...(team?.byId.values() ?? [])]
    .map(({ node }) => `${node._id} ${node.leftNow} ${node.rightNow}`)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the team is put together anew each time; its points say whether it is another.
  useEffect(() => {
    const was = before.current;
    before.current = team && { of, team };
    const found = team && was?.of === of ? risen(was.team, team) : NONE;
    setRise(found);
    if (found.size === 0) return;
    const timer = setTimeout(() => setRise(NONE), Math.max(...found.values()) * STEP_MS + FLASH_MS);
    return () => clearTimeout(timer);
  }, [of, points]);
  return rise;
}
