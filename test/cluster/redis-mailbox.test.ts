/** Mailboxes over a connection that is slow to open. */
import { expect, test } from 'vitest';
import { redisCluster } from '../../generated/runtime/http-redis.js';

/** A client whose duplicates connect when `connect` is called; scripts succeed, and reads wait until it is destroyed. */
function slowClient() {
  let connect: () => void = () => undefined;
  const connecting = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const commands: string[] = [];
  let isDestroyed = false;
  const client = {
    sendCommand: async ([name = '']: string[]) => {
      commands.push(name);
      if (name === 'XREAD') await new Promise((resolve) => setTimeout(resolve, 5));
      return name === 'XREAD' ? null : 1;
    },
    duplicate: () => ({
      ...client,
      connect: () => connecting,
      destroy: () => {
        isDestroyed = true;
      },
    }),
    connect: () => Promise.resolve(),
    on: () => undefined,
    destroy: () => undefined,
  };
  return { client, commands, connect, isDestroyed: () => isDestroyed };
}

test.each(['close', 'end'] as const)('a mailbox that ends while it is opened leaves no connection: %s', async (how) => {
  const { client, commands, connect, isDestroyed } = slowClient();
  const cluster = redisCluster(client);
  const opening = cluster.mailbox.open('a', 1000, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await (how === 'close' ? cluster.mailbox.close('a') : cluster.close());
  connect();
  await expect(opening).rejects.toThrow('The mailbox was closed while it was opened');
  expect(isDestroyed()).toBe(true);
  const reads = commands.filter((name) => name === 'XREAD').length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(commands.filter((name) => name === 'XREAD').length - reads).toBe(0);
});
