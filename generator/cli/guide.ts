/** What `mcpgen` without arguments prints: which command to start with, by what one wants to do. */
export const GUIDE = `mcpgen generates TypeScript from the Model Context Protocol's JSON Schema.

Write a server
  mcpgen init server my-server               create a project with tests
  mcpgen add tool get-weather                add a tool to it
  mcpgen generate                            update the types after editing a schema

Write a client
  mcpgen init client my-client --from-server "npx -y @modelcontextprotocol/server-everything"
                                             typed for the tools of that server

Keep an SDK in sync with the specification
  mcpgen generate --revision 2025-11-25 --out src/mcp            write the types
  mcpgen generate --revision 2025-11-25 --out src/mcp --check    in CI: fail if they are out of date
  mcpgen diff 2025-11-25 2026-07-28 --breaking                   what a new revision breaks

Build a gateway, proxy or debugger
  mcpgen generate --out src/generated        guards and validators for every revision

Look something up
  mcpgen explain tools/call                  a method or definition, with an example
  mcpgen methods                             who sends what, in which revisions

Run mcpgen --help for all commands, and mcpgen <command> --help for the options of one.`;
