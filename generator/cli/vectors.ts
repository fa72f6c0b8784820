import type { Command } from 'commander';
import { declareVectorsRun } from './vectors-run.js';

/** Declares `mcpgen vectors`. */
export function declareVectors(program: Command): void {
  const vectors = program.command('vectors').summary('test vectors for an SDK in any language');
  declareVectorsRun(vectors);
}
