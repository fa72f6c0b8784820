/** Logs in to servers over HTTP (MCP 2026-07-28, basic/authorization). */
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { oauthProvider, type OAuthProvider } from '../../generated/runtime/oauth-client.js';
import { fileStore, loopbackRedirect } from '../../generated/runtime/oauth-node.js';
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
 */
export function loginProvider(
  { clientId, clientSecret, openPage }: LoginSettings,
  onWait: (isWaiting: boolean) => void,
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
    store: fileStore(tokenFolder()),
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
