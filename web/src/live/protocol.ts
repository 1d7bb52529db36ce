/** The words of `GET /api/ws`, as the API document has them. Facts are durable and numbered per stream; glimpses are the newest value
 *  of a key, never stored. */
import type { Schemas } from '@/api/client';

export type ClientMessage = Schemas['ClientMessage'];
export type ServerMessage = Schemas['ServerMessage'];
export type ServerWord<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** Facts: absolute values with a version, so that a double does no harm. */
export type LiveEvent = Schemas['LiveEvent'];
type Events = { [E in LiveEvent as E['kind']]: E };
export type EventKind = keyof Events;
export type EventOf<K extends EventKind> = Events[K];

export type Glimpse = Schemas['Glimpse'];
type Glimpses = { [G in Glimpse as G['kind']]: G };
export type GlimpseKind = keyof Glimpses;
export type GlimpseOf<K extends GlimpseKind> = Glimpses[K];
export type Topic = Schemas['Topic'];

export type Mode = Schemas['Mode'];
export type QueueItem = Schemas['QueueItem'];
export type RobotTick = Schemas['SettledRobot'];
