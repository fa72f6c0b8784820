/** The revisions with tasks. */
import { revision as core } from '../../generated/2025-11-25/revision.js';
import { revision as plain } from '../../generated/2026-07-28/revision.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';

const method = {
  kind: 'request',
  direction: 'clientToServer',
  capabilities: [],
  deprecated: false,
} as const;

export const latest: Revision = {
  ...plain,
  methods: {
    ...plain.methods,
    'tasks/get': method,
    'tasks/update': method,
    'tasks/cancel': method,
    'notifications/tasks': { ...method, kind: 'notification', direction: 'serverToClient' },
  },
  validateParams: (name, params) =>
    name.includes('tasks') ? { success: true, value: params } : plain.validateParams(name, params),
  validateResult: (name, result, options) =>
    name.includes('tasks') || (result as { resultType?: unknown }).resultType === 'task'
      ? { success: true, value: result }
      : plain.validateResult(name, result, options),
};
export const older: Revision = core;
