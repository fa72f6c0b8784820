export { fileStore } from "./oauth/file-store.js";
export { loopbackRedirect } from "./oauth/loopback.js";
export type { LoopbackOptions } from "./oauth/loopback.js";
