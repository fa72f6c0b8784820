import { recordEverything } from './support.js';
await recordEverything('/tmp/ev.ndjson');
