/** What `mcpgen` without arguments prints: the first commands of each task. At most 80 columns. */
export const GUIDE = `mcpgen generates TypeScript from the Model Context Protocol's JSON Schema.

Write a server
  # Create a project, add a tool, update the types after editing a schema
  mcpgen init server my-server
  mcpgen add tool get-weather
  mcpgen generate

Write a client
  # Create a project with a method for each tool of a server
  mcpgen init client my-client --from-server "node ../server/dist/index.js"

Keep an SDK in sync with the specification
  # Write the types; in CI, fail if they are out of date
  mcpgen generate --revision 2025-11-25 --out src/mcp
  mcpgen generate --revision 2025-11-25 --out src/mcp --check

  # Print what a new revision breaks
  mcpgen diff 2025-11-25 2026-07-28 --breaking

  # Write test vectors for an SDK in any language
  mcpgen vectors --revision 2025-11-25

Build a gateway, proxy or debugger
  # Write guards, validators and what forwards messages, for every revision
  mcpgen generate --emit pipe,stdio --out src/wire

Look something up
  # Print a method or definition with an example; print who sends what
  mcpgen explain tools/call
  mcpgen methods

Run mcpgen --help for all commands, mcpgen <command> --help for one of them.`;
