import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientHandlers } from "../protocol.js";

/** The folders that a server may work in: the current folder. */
export const roots: NonNullable<ClientHandlers["roots/list"]> = () => {
  const folder = process.cwd();
  return {
    roots: [{ uri: pathToFileURL(folder).href, name: path.basename(folder) }],
  };
};
