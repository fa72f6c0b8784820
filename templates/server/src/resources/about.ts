import { defineResource } from "../generated/runtime/registry.js";
import { info } from "../info.js";

/** A resource with a fixed URI. */
export const about = defineResource({
  uri: "about://server",
  name: "about",
  title: "About this server",
  description: "Name and version of the server.",
  mimeType: "application/json",
  read: () => JSON.stringify(info, undefined, 2),
});
