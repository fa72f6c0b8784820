/** The token of a user who logs in, for requests that our own client does not send. */
import { loginProvider } from './login.js';
import { withServer } from './open.js';
import type { HttpTarget, ServerTarget } from './target.js';

/**
 * Logs in at a server, and returns the access token.
 *
 * @throws {@link McpgenError} if the user does not log in, or the server does not answer.
 */
export async function loginToken(target: ServerTarget & HttpTarget): Promise<string | undefined> {
  const { login, secrets, url } = target;
  if (login === undefined) return undefined;
  await withServer(target, 'logging in failed:', async () => Promise.resolve());
  // The token is stored by now, so nothing is requested.
  const context = { serverUrl: url, fetchFn: fetch, allowsUrl: () => false };
  const token = await loginProvider(login, () => undefined, secrets).token(context);
  if (token !== undefined) secrets.add(token, true);
  return token;
}
