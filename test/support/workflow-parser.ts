import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Parser from '@actions/workflow-parser';
import { buildSync } from 'esbuild';
import { temporaryFolder } from './cli.js';

let parser: typeof Parser | undefined;

/** The faults that GitHub's own parser finds in a workflow, each as a message. */
export async function lintWorkflow(name: string, content: string): Promise<readonly string[]> {
  parser ??= bundledParser();
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = parser;
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** The parser imports JSON in a way that Node 20 does not support, so it is bundled. */
function bundledParser(): typeof Parser {
  const outfile = path.join(temporaryFolder(), 'parser.cjs');
  buildSync({
    stdin: { contents: "export * from '@actions/workflow-parser';", resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  return createRequire(import.meta.url)(outfile) as typeof Parser;
}
