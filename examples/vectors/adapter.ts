/** What every adapter in this folder shares: a line for each vector in, a line for each answer out. */
import { createInterface } from 'node:readline';
import type { JsonValue } from '../../generator/read/json/json.js';
import type { AdapterAnswer, AdapterRequest, Frame } from '../../generator/vectors/form.js';

export type { AdapterRequest, Frame, JsonValue };

/** An answer without the name of its vector. */
export type Answer = AdapterAnswer extends infer A ? (A extends { name: string } ? Omit<A, 'name'> : never) : never;

/** A part of a message, such as its method; undefined if it is no object or has no such member. */
export function memberOf(message: JsonValue, key: string): JsonValue | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  return Object.hasOwn(message, key) ? (message as Record<string, JsonValue>)[key] : undefined;
}

/** The JSON Pointer of a path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Answers every line of standard input, until it ends. An error of the implementation is an answer, too: the value is invalid. */
export async function answerVectors(answer: (request: AdapterRequest) => Answer): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const request = JSON.parse(line) as AdapterRequest;
    const done = process.stdout.write(`${JSON.stringify({ name: request.name, ...answer(request) })}\n`);
    if (!done) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
