/** The handshake of a protocol without roles: one side opens the conversation, and the other one waits. */
import { expect, test } from 'vitest';
import { classify } from '../../generated/2025-11-25/guards.js';
import {
  ConnectionClosedError,
  memoryPair,
  PeerConnection,
  RpcError,
  type PeerProtocol,
  type UntypedPeerSettings,
} from '../../templates/runtime/peer.js';

const success = { success: true, value: undefined } as const;
const PROTOCOL: PeerProtocol<'page' | 'shell'> = {
  classify,
  lookupMethod: () => 'known',
  validateParams: () => success,
  validateResult: () => success,
  handshake: { opener: 'page', request: 'open', ready: 'opened', except: ['load'] },
};

/** A page and a shell that are connected; the page opens the conversation. */
async function connected(shellSettings: UntypedPeerSettings = {}) {
  const [one, other] = memoryPair();
  const seen: string[] = [];
  const notifications = Object.fromEntries(['hello', 'load'].map((name) => [name, () => void seen.push(name)]));
  const page = new PeerConnection(
    { protocol: PROTOCOL, peer: 'shell' },
    { notifications, handlers: { ask: () => ({}) } },
  );
  const settings = { handlers: { open: () => ({}), other: () => ({}) }, ...shellSettings };
  const shell = new PeerConnection({ protocol: PROTOCOL, peer: 'page' }, settings);
  await shell.open(other);
  await page.open(one);
  let isReady = false;
  void shell.ready.then(
    () => (isReady = true),
    () => undefined,
  );
  return { page, shell, seen, isReady: () => isReady };
}

test('the side that opens is ready at once', async () => {
  const { page } = await connected();
  await page.ready;
  await page.request('other', {});
});

test('the other side sends nothing before the handshake', async () => {
  const { page, shell, seen } = await connected();
  expect(() => {
    shell.notify('hello');
  }).toThrow('hello before the page has sent opened: await `ready` first');
  await expect(shell.request('ask', {})).rejects.toThrow('ask before the page');
  shell.notify('load');
  await page.request('open', {});
  expect(() => {
    shell.notify('hello');
  }).toThrow('before the page');
  page.notify('opened');
  await shell.ready;
  shell.notify('hello');
  await shell.request('ask', {});
  expect(seen).toEqual(['load', 'hello']);
});

test('the other side sends no messages of extensions before the handshake, either', async () => {
  class Extended extends PeerConnection<never, never, 'page' | 'shell'> {
    readonly sendRequest = this.requestExtension.bind(this);
    readonly sendNotification = this.notifyExtension.bind(this);
  }
  const protocol = { ...PROTOCOL, extensionPrefix: '_', lookupMethod: () => 'unknown' as const };
  const shell = new Extended({ protocol, peer: 'page' }, {});
  const [one] = memoryPair();
  await shell.open(one);
  await expect(shell.sendRequest('_ask', {})).rejects.toThrow('_ask before the page has sent opened');
  expect(() => {
    shell.sendNotification('_hello', {});
  }).toThrow('_hello before the page has sent opened');
});

test('the notification alone opens nothing', async () => {
  const { page, isReady } = await connected();
  page.notify('opened');
  await page.request('other', {});
  expect(isReady()).toBe(false);
});

test('a refused handshake opens nothing', async () => {
  const refusing = () => {
    throw new RpcError(-32000, 'not you');
  };
  const { page, isReady } = await connected({ handlers: { open: refusing, other: () => ({}) } });
  await expect(page.request('open', {})).rejects.toThrow('not you');
  page.notify('opened');
  await page.request('other', {});
  expect(isReady()).toBe(false);
});

test('whoever waits for a handshake learns that the connection has ended', async () => {
  const { page, shell } = await connected();
  await page.close();
  await shell.closed;
  await expect(shell.ready).rejects.toThrow(ConnectionClosedError);
});
