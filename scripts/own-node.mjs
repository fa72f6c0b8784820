// The package `node-22` is there for the inspector only. Its link would put that Node before the installed one in every
// npm script, so that tests would not run on the Node that they are meant for.
import { rmSync } from 'node:fs';

for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(`node_modules/.bin/${name}`, { force: true });
