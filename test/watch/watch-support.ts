import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CLI, plainEnvironment, temporaryFolder } from '../support/cli.js';
import { catalogWith, schemaWith } from '../support/hostile.js';

export const running: ChildProcess[] = [];

/** A process that watches, and what it has said. */
export class WatchProcess {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly ended: Promise<number | null>;

  constructor(cwd: string, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [CLI, 'generate', '--watch', ...args], { cwd, env: plainEnvironment() });
    running.push(this.child);
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** Waits until a condition is true, with a timeout that suits slow machines. */
  async until(what: string, condition: () => boolean): Promise<void> {
    for (const start = Date.now(); !condition();) {
      if (Date.now() - start > 60_000) throw new Error(`no ${what} in: ${this.out}\n${this.err}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  get rounds(): number {
    return this.out.match(/^generated /gm)?.length ?? 0;
  }
}

export function project(): string {
  const cwd = temporaryFolder();
  mkdirSync(path.join(cwd, 'src/tools'), { recursive: true });
  writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith()));
  writeFileSync(path.join(cwd, 'catalog.json'), JSON.stringify(catalogWith()));
  writeFileSync(path.join(cwd, 'src/tools/a.input.json'), '{ "type": "object" }');
  const config = {
    schema: 'schema.json',
    catalog: 'catalog.json',
    out: 'out',
    emit: ['types'],
    tools: ['src/tools/*.input.json'],
  };
  writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify(config));
  return cwd;
}

/** Saves a file atomically, as some editors do: writes a temporary file and renames it. */
export function saveAtomically(file: string, text: string): void {
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}
