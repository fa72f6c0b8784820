/** All probes, in the order in which they run. What may end a server comes last. */
import type { Probe } from '../probe.js';
import { CALL_PROBES } from './calls.js';
import { VERSION_PROBES } from './handshake.js';
import { HTTP_PROBES } from './http.js';
import { LIST_PROBES } from './lists.js';
import { MESSAGE_PROBES } from './messages.js';
import { PROCESS_PROBES } from './process.js';
import { REQUEST_PROBES } from './requests.js';

export const PROBES: readonly Probe[] = [
  ...LIST_PROBES,
  ...REQUEST_PROBES,
  ...VERSION_PROBES,
  ...CALL_PROBES,
  ...HTTP_PROBES,
  ...MESSAGE_PROBES,
  ...PROCESS_PROBES,
];
