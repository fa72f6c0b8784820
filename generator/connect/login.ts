/** Logs in to servers over HTTP (MCP 2026-07-28, basic/authorization). */
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { oauthProvider, type OAuthProvider, type OAuthStore } from '../../generated/runtime/oauth-client.js';
import { fileStore, loopbackRedirect } from '../../generated/runtime/oauth-node.js';
import type { Secrets } from './secrets.js';
import type { LoginSettings } from './target.js';

/** Milliseconds that the user has to log in. */
export const LOGIN_TIMEOUT_MS = 300_000;

/** Where tokens are kept, for this user only. */
export function tokenFolder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const home = homedir();
  const base =
    process.platform === 'win32'
      ? (LOCALAPPDATA ?? path.join(home, 'AppData/Local'))
      : process.platform === 'darwin'
        ? path.join(home, 'Library/Application Support')
        : XDG_STATE_HOME !== undefined && path.isAbsolute(XDG_STATE_HOME)
          ? XDG_STATE_HOME
          : path.join(home, '.local/state');
  return path.join(base, 'mcpgen', 'tokens');
}

/**
 * The auth provider of a server that a user logs in to: with a browser if there is no token yet.
 *
 * @param onWait - Called with true while the user logs in, and with false afterwards.
 * @param secrets - Receives the tokens, which a server may repeat.
 */
export function loginProvider(
  { clientId, clientSecret, openPage }: LoginSettings,
  onWait: (isWaiting: boolean) => void,
  secrets: Secrets,
): OAuthProvider {
  const listen = loopbackRedirect({
    timeout: LOGIN_TIMEOUT_MS,
    open: (url) => {
      openPage(url).catch(() => undefined);
      return true;
    },
  });
  return oauthProvider({
    client: clientId === undefined ? { registration: { name: 'mcpgen' } } : { id: clientId, secret: clientSecret },
    store: reportingStore(fileStore(tokenFolder()), secrets),
    redirect: async () => {
      const redirect = await listen();
      onWait(true);
      return {
        url: redirect.url,
        open: (url) => redirect.open(url),
        close: async () => {
          onWait(false);
          await redirect.close?.();
        },
      };
    },
  });
}

/** Members of stored values that are secrets. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['accessToken', 'refreshToken', 'secret', 'verifier']);

/** A store that reports the secrets that pass through it. */
function reportingStore(store: OAuthStore, secrets: Secrets): OAuthStore {
  const report = (value: object): void => {
    for (const [name, member] of Object.entries(value) as [string, unknown][]) {
      if (typeof member === 'string' && SECRET_MEMBERS.has(name)) secrets.add(member, true);
      else if (typeof member === 'object' && member !== null) report(member);
    }
  };
  return {
    get: async (key) => {
      const value = await store.get(key);
      if (value !== undefined) report(value);
      return value;
    },
    set: async (key, value, expiresAt) => {
      report(value);
      await store.set(key, value, expiresAt);
    },
    delete: (key) => store.delete(key),
    exclusive: (key, task) => store.exclusive?.(key, task) ?? task(),
  };
}
