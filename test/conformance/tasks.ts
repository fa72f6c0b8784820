/**
 * Why checks of the tasks extension fail against a server that does not have it, each with its source in the
 * specification. `io.modelcontextprotocol/tasks` (SEP-2663) is optional: MCP 2026-07-28, Versioning, Extension
 * Negotiation, leaves the core protocol to a side without it. The official server fails as many.
 */
export interface Reason {
  readonly why: string;
  /** Page and section. */
  readonly source: string;
  /** What the suite says. */
  readonly says: RegExp;
  /** Ids of checks. */
  readonly checks: readonly string[];
}

export const REASONS: readonly Reason[] = [
  {
    why: 'The extension is not declared, since the server has none of its methods.',
    source:
      'MCP 2026-07-28, Versioning, Extension Negotiation: extensions are optional; SEP-2663, Capability Negotiation: who lists it says that it is supported',
    says: /^capabilities\.extensions MUST be advertised$/,
    checks: ['tasks-extension-advertised'],
  },
  {
    why: 'The tool by which the suite has a task made is not offered: only a server with the extension may make one.',
    source:
      'SEP-2663, Task Creation, for a server that negotiated the extension; MCP 2026-07-28, Tools, Error Handling: an unknown tool is a protocol error (-32602)',
    says: /^Unknown tool$/,
    checks: [
      'tasks-sync-tool-call',
      'sep-2663-result-type-task-on-create',
      'sep-2663-tool-error-uses-completed-status',
      'sep-2663-tasks-get-status-failed',
      'sep-2663-cancel-ack-empty-result',
      'tasks-cancel-terminal-idempotent-ack',
      'sep-2663-server-rejects-undeclared-client',
      'tasks-per-request-meta-opt-in',
      'tasks-wire-field-renames',
      'tasks-no-related-task-meta-on-inlined-result',
      'tasks-request-state-removal-setup',
      'sep-2663-tasks-get-status-input-required',
      'tasks-mrtr-tasks-update-resumes',
      'tasks-mrtr-partial-fulfillment',
      'tasks-headers-tolerate-mcp-method-on-tools-call',
      'sep-2663-routing-headers-accepted-on-tasks-get',
      'tasks-server-directed-creation-no-hint',
      'sep-2663-legacy-task-param-ignored',
      'tasks-immediate-result-shortcut',
      'tasks-result-type-complete-on-non-task-responses',
      'sep-2663-durable-create-strong-consistency',
      'sep-2663-mrtr-synchronous-before-task-creation',
    ],
  },
  {
    why: 'There is no task to look at, since none was made.',
    source: 'SEP-2663, Task Polling and Task Creation: what is polled is the task of a CreateTaskResult',
    says: /^Not testable: no task was created by the preceding step/,
    checks: ['sep-2663-tasks-get-status-working', 'sep-2663-tasks-get-status-completed', 'tasks-no-early-ttl-expiry'],
  },
  {
    why: 'There is no task whose id a header could differ from.',
    source: 'SEP-2663, Streamable HTTP: Routing Headers: Mcp-Name is the id of the task',
    says: /^routing-task fixture from Check 2 unavailable/,
    checks: ['sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get'],
  },
  {
    why: '`tasks/get`, `tasks/update` and `tasks/cancel` are methods that the server does not have, for any client.',
    source:
      'MCP 2026-07-28, Streamable HTTP, Protocol Version Header: -32601 with 404 for a method that is not implemented; SEP-2663, Protocol Errors, asks for -32021 and -32602 of servers that have these methods',
    says: /got -32601/,
    checks: ['sep-2663-tasks-methods-non-declaring', 'sep-2663-tasks-get-invalid-task-id-32602'],
  },
  {
    why: 'The tool that cannot be served without a task is not offered; -32021 is for one that is.',
    source:
      'SEP-2663, Capability Negotiation: -32021 where a request cannot be serviced without CreateTaskResult; MCP 2026-07-28, Tools, Error Handling: -32602',
    says: /^tools\/call for failing_job returned error code -32602;/,
    checks: ['sep-2663-server-returns-missing-capability-when-required'],
  },
];
