import path from 'node:path';
import { compiledProgram } from '../../support/programs.js';

/** A program to run, as the stdio transports of all SDKs take it. */
export interface Program {
  readonly command: string;
  readonly args: string[];
}

/** A TypeScript program of this folder. */
export function program(file: string, ...args: readonly string[]): Program {
  return { command: process.execPath, args: [compiledProgram(path.join(import.meta.dirname, file)), ...args] };
}

/** A server of the garden, for some revisions or all that it speaks. */
export function serverProgram(server: string, ...revisions: readonly string[]): Program {
  return program(`${server}-server.ts`, ...revisions);
}
