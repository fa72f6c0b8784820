/** A process of a fleet that serves the garden of the interop tests: one for each session, and one for all requests without. */
import type { HandlerContext } from '../../generated/runtime/server.js';
import { HttpExtra } from '../../generated/runtime/http/server/extra.js';
import { FixtureServer, STATELESS, type StoppedCounter } from '../interop/peers/fixture-peers.js';
import { oursServer } from '../interop/peers/ours-garden.js';
import { fleetRedis, REQUEST_STATE, serveMember } from './serve-member.js';

const client = await fleetRedis();
/** A request without a session and the next one may reach different processes. */
const shared: StoppedCounter = {
  increment: async () => {
    await client?.incr('stopped');
  },
  read: async () => Number((await client?.get('stopped')) ?? 0),
};
const stateless = new FixtureServer(shared);
const gardens = new Map<string, FixtureServer>();

function gardenOf({ revision, extra }: HandlerContext): FixtureServer {
  if (revision === STATELESS || !(extra instanceof HttpExtra)) return stateless;
  const session = extra.header('mcp-session-id') ?? '';
  const garden = gardens.get(session) ?? new FixtureServer();
  gardens.set(session, garden);
  return garden;
}

await serveMember({ server: oursServer(undefined, { gardenOf, requestState: REQUEST_STATE }) }, client);
