import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that are short to read and take minutes. */
const SLOW = [
  'test/quality.test.ts',
  'test/scaffold/installed.test.ts',
  'test/model/assignable.test.ts',
  'test/conformance/client.test.ts',
  'test/conformance/server.test.ts',
  'test/drift/official.test.ts',
];

/** Begins with what takes longest, so that no core waits at the end for another one. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
