import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of both tiers that take longest, in this order. The others follow by their size. */
const LONGEST = [
  'test/http/client-cut-bytes.slow.test.ts',
  'test/quality.slow.test.ts',
  'test/scaffold/installed.slow.test.ts',
  'test/conformance/client.slow.test.ts',
  'test/conformance/server.slow.test.ts',
  'test/drift/official.slow.test.ts',
  'test/check-server/command.slow.test.ts',
  'test/cli.slow.test.ts',
  'test/emit/zod.slow.test.ts',
  'test/record/stdio-process.slow.test.ts',
  'test/replay/command.slow.test.ts',
  'test/runtime/stdio-client.slow.test.ts',
  'test/scaffold/init.slow.test.ts',
  'test/extensions/tasks.slow.test.ts',
  'test/check-server/workflow.slow.test.ts',
  'test/hostile-input.slow.test.ts',
  'test/hostile-schema.slow.test.ts',
  'test/record/http.slow.test.ts',
  'test/docs.test.ts',
  'test/generated/cases.test.ts',
  'test/cli.test.ts',
  'test/emit/zod.test.ts',
  'test/compile/determinism.test.ts',
  'test/plugins/plugins.test.ts',
  'test/interop/http.test.ts',
  'test/runtime/stdio-client.test.ts',
  'test/interop/stdio.test.ts',
  'test/output/write.test.ts',
  'test/generated/types.test.ts',
  'test/scaffold/init.test.ts',
  'test/replay/command.test.ts',
  'test/hostile-schema.test.ts',
  'test/sync/sync.test.ts',
  'test/tools/tools.test.ts',
  'test/record/http.test.ts',
  'test/tools/recursive-unions.test.ts',
  'test/check-server/command.test.ts',
  'test/ci.test.ts',
  'test/record/stdio.test.ts',
  'test/add/remove.test.ts',
];

/** Begins with what takes longest, so that no core waits at the end for another one. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? LONGEST.length : index;
    };
    // Files of one rank keep their order.
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
