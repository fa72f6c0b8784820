/** How much memory a piece of work allocates, which is nearly the same on every machine, unlike the time it takes. */
import { Session } from 'node:inspector/promises';

/** What work allocated, by the function that did it. */
export interface Allocations {
  /** Bytes for each call. */
  readonly bytes: number;
  /** Bytes for each call by function, the most first; what is inlined counts as its caller's. */
  readonly byFunction: readonly (readonly [name: string, bytes: number])[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children: readonly ProfileNode[];
}

/** What the inspector returns, of which its types know a part. */
interface SamplingProfile {
  readonly head: ProfileNode;
  readonly samples: readonly { readonly nodeId: number; readonly size: number }[];
}

/** Bytes between two samples: so few that nearly every allocation is one. */
const SAMPLING_INTERVAL = 64;

/**
 * Measures what calls allocate, garbage included, with V8's sampling heap profiler. Needs no flags of Node.
 *
 * Repeated runs differ by a few percent. Make the calls often enough before that all code is compiled.
 *
 * @param run - Makes the calls.
 * @param calls - How many it makes.
 */
export async function allocationsOf(run: () => Promise<unknown>, calls: number): Promise<Allocations> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: SAMPLING_INTERVAL,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as object);
    await run();
    const { profile } = (await session.post('HeapProfiler.stopSampling')) as unknown as { profile: SamplingProfile };
    const names = new Map<number, string>();
    const visit = ({ id, callFrame, children }: ProfileNode): void => {
      const { functionName, url, lineNumber } = callFrame;
      const file = url.split('/').slice(-2).join('/');
      names.set(id, `${functionName === '' ? '(anonymous)' : functionName} ${file}:${lineNumber + 1}`);
      for (const child of children) visit(child);
    };
    visit(profile.head);
    const byName = new Map<string, number>();
    let total = 0;
    for (const { nodeId, size } of profile.samples) {
      const name = names.get(nodeId) ?? '(unknown)';
      byName.set(name, (byName.get(name) ?? 0) + size);
      total += size;
    }
    return {
      bytes: total / calls,
      byFunction: [...byName]
        .map(([name, size]) => [name, size / calls] as const)
        .sort(([, one], [, other]) => other - one),
    };
  } finally {
    session.disconnect();
  }
}
