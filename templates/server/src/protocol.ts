// The supported revisions of the protocol. The server is written with the types of the newest.
import { serverRevision as revision20241105 } from "./generated/2024-11-05/revision.js";
import { serverRevision as revision20250326 } from "./generated/2025-03-26/revision.js";
import { serverRevision as revision20250618 } from "./generated/2025-06-18/revision.js";
import { serverRevision as revision20251125 } from "./generated/2025-11-25/revision.js";
import { serverRevision as revision20260728 } from "./generated/2026-07-28/revision.js";

export { createServer } from "./generated/2026-07-28/server.js";
export type { ServerContext } from "./generated/2026-07-28/server.js";

export const revisions = [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
];
