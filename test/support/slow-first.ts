import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that are short to read and take minutes. */
const SLOW = [
  'test/http/client-cut-bytes.slow.test.ts',
  'test/quality.slow.test.ts',
  'test/scaffold/installed.slow.test.ts',
  'test/model/assignable.test.ts',
  'test/conformance/client.slow.test.ts',
  'test/conformance/server.slow.test.ts',
  'test/drift/official.slow.test.ts',
];

/** Begins with what takes longest, so that no core waits at the end for another one. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
