import type { ServerConfig } from "./config.js";

/** `${NAME}` and `${NAME:-default}` of Claude Code, `${env:NAME}` of VS Code, Cursor and Windsurf. */
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^{}]*))?\}/g;

/**
 * The config of a server with its references to variables expanded, in every string of it.
 *
 * @throws TypeError if a variable is not set and has no default. The message has the name only.
 */
export function expandVariables<Config extends ServerConfig>(
  config: Config,
  server: string,
  variables: Readonly<Record<string, string | undefined>>,
): Config {
  const expand = (value: unknown): unknown => {
    if (typeof value === "string")
      return refuseOthers(value, server).replace(
        REFERENCE,
        (_, name: string, fallback: string | undefined) => {
          const found = Object.hasOwn(variables, name)
            ? variables[name]
            : undefined;
          if (found !== undefined && (found !== "" || fallback === undefined))
            return found;
          if (fallback !== undefined) return fallback;
          throw new TypeError(
            `the config of ${JSON.stringify(server)} needs the variable ${name}, which is not set`,
          );
        },
      );
    if (Array.isArray(value)) return value.map(expand);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, expand(member)]),
    );
  };
  return expand(config) as Config;
}

/** A reference such as `${input:token}` must not be sent as it is. */
function refuseOthers(text: string, server: string): string {
  const [other] = /\$\{(?!env:)[A-Za-z]+:(?!-)[^{}]*\}/.exec(text) ?? [];
  if (other === undefined) return text;
  throw new TypeError(
    `the config of ${JSON.stringify(server)} has ${other}, which only its host can expand; replace it by a value`,
  );
}

/** An object of JSON; an auth provider, for example, is not copied. */
function isPlainObject(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
