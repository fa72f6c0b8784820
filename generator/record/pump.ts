import type { Readable, Writable } from 'node:stream';

/** What sees each chunk on its way. */
export interface Tap {
  readonly add: (chunk: Buffer) => void;
  /** Whether the stream should wait for {@link drained}. */
  readonly isFull: () => boolean;
  readonly drained: () => Promise<void>;
}

/**
 * Forwards a stream, chunk by chunk: first to the target, then to the tap. It does not read faster than both write. The
 * end of the source, and failures of either stream, are left to the caller.
 */
export function pump(source: Readable, target: Writable, tap: Tap): void {
  let isTargetFull = false;
  let isTapFull = false;
  const resume = (): void => {
    if (!isTargetFull && !isTapFull) source.resume();
  };
  const onRoom = (): void => {
    isTargetFull = false;
    resume();
  };
  const onDrained = (): void => {
    isTapFull = false;
    resume();
  };
  target.on('drain', onRoom);
  target.on('close', onRoom);
  source.on('data', (chunk: Buffer) => {
    // Whoever reads the target may be gone.
    isTargetFull = target.writable && !target.write(chunk);
    tap.add(chunk);
    isTapFull = tap.isFull();
    if (isTargetFull || isTapFull) source.pause();
    if (isTapFull) tap.drained().then(onDrained, onDrained);
  });
}
