/** The output with the extension `io.modelcontextprotocol/tasks`. */
import { generate } from '../../generator/index.js';

/** Generates both revisions with tasks, and their runtime, into a folder. */
export async function generateWithTasks(out: string): Promise<void> {
  await generate({
    out,
    revisions: ['2025-11-25', '2026-07-28'],
    extensions: ['io.modelcontextprotocol/tasks'],
    emit: ['revision', 'client', 'server', 'registry', 'stdio', 'tasks', 'tasks-sqlite'],
  });
}
