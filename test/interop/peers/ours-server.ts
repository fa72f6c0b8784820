import { stdioServerTransport } from '../../../generated/runtime/stdio-server.js';
import { revisionsFromArguments } from './main.js';
import { oursServer } from './ours-garden.js';
import { REVISION_NAMES } from './revisions.js';

await oursServer(revisionsFromArguments(REVISION_NAMES)).connect(stdioServerTransport());
