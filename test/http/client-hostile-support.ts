import type { ServerResponse } from 'node:http';
import { startScriptedServer, statelessScript } from './client-peer.js';

export const call = { name: 'a', arguments: {} };

export const unhandled: unknown[] = [];
export const note = (reason: unknown): void => void unhandled.push(reason);

/** Writes without end, as fast as it is read, until the other side goes. */
export async function flood(response: ServerResponse, chunk: string): Promise<number> {
  let written = 0;
  let isOver = false;
  let goOn: () => void = () => undefined;
  response.on('error', () => undefined);
  response.on('drain', () => {
    goOn();
  });
  response.on('close', () => {
    isOver = true;
    goOn();
  });
  const isOpen = (): boolean => !isOver;
  while (isOpen()) {
    written += chunk.length;
    const hasRoom = response.write(chunk);
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (hasRoom) setImmediate(resolve);
    });
  }
  return written;
}

/** A server of which every answer to a call is as the test says. */
export function serveAnswer(
  answer: (response: ServerResponse, id: unknown) => void,
): ReturnType<typeof startScriptedServer> {
  return startScriptedServer(
    statelessScript(({ message }, response) => {
      answer(response, message.id);
    }),
  );
}
