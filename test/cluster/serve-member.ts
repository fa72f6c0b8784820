/** What the programs of a fleet have in common. */
import { createClient } from 'redis';
import type { Cluster } from '../../generated/runtime/cluster/types.js';
import { redisCluster } from '../../generated/runtime/http-redis.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler, joinCluster, type HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import type { FleetSettings } from './fleet.js';

/** Signs request state, in every process of a fleet. */
export const REQUEST_STATE = { secret: 'a secret of all processes of a fleet' };

export const fleetSettings = JSON.parse(process.env['MCPGEN_FLEET'] ?? '{}') as FleetSettings;

/** Connects to the Redis of the fleet; undefined without one. */
export async function fleetRedis() {
  const { redisUrl } = fleetSettings;
  if (redisUrl === undefined) return undefined;
  const client = createClient({ url: redisUrl, pingInterval: 1000, socket: { socketTimeout: 5000 } });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Serves a process of a fleet, prints its URL, and drains when it is asked to end.
 *
 * @param wrap - Changes the cluster that it uses.
 */
export async function serveMember(
  options: HttpHandlerOptions,
  client: Awaited<ReturnType<typeof fleetRedis>>,
  wrap: (cluster: Cluster) => Cluster = (cluster) => cluster,
): Promise<void> {
  const { lease, timeout, port = 0, endsWithInput = false } = fleetSettings;
  const cluster = client === undefined ? undefined : wrap(redisCluster(client));
  const listening = await serveHttp(
    createHttpHandler({ ...options, cluster: cluster && joinCluster(cluster, { lease, timeout }), health: true }),
    { port },
  );
  if (endsWithInput) process.stdin.resume().once('end', () => process.exit(1));
  process.once('SIGTERM', () => {
    void (async () => {
      await listening.drain({ timeout: 20_000 });
      await cluster?.close();
      client?.destroy();
      process.stdin.destroy();
    })();
  });
  process.stdout.write(`${listening.url.href}\n`);
}
