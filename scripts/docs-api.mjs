// Writes docs/api.md, the reference of the programmatic interface, from the doc comments of generator/index.ts:
// `npm run docs:api`. With --check it writes nothing and exits with 1 if the file is out of date.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { Application } from 'typedoc';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'docs/api.md');
const INTRODUCTION = `# Library API

Reference of the package \`mcpgen\`, written from its doc comments by \`npm run docs:api\`. To begin with, see
[as a library](sdk-maintainers.md#as-a-library). \`generate\`, \`check\` and \`loadProtocol\` are what most programs need.
`;

async function renderReference(folder) {
  process.chdir(root);
  const app = await Application.bootstrapWithPlugins({
    entryPoints: ['generator/index.ts'],
    tsconfig: 'scripts/tsconfig.docs.json',
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: folder }],
    logLevel: 'Error',
    readme: 'none',
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    // Lines would change with every edit.
    disableSources: true,
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
    router: 'module',
    entryFileName: 'api',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    propertyMembersFormat: 'table',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read generator/index.ts');
  await app.generateOutputs(project);
  const text = readFileSync(path.join(folder, 'api.md'), 'utf8');
  const body = text.slice(text.indexOf('\n## ') + 1);
  // Anchors of table rows that nothing links to.
  const linked = body.replaceAll(/<a id="([^"]*)"><\/a> ?/g, (anchor, id) =>
    body.includes(`](#${id})`) ? anchor : '',
  );
  return format(`${INTRODUCTION}\n${linked}`, { ...(await resolveConfig(target)), filepath: target });
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-docs-api-'));
try {
  const expected = await renderReference(folder);
  if (!process.argv.includes('--check')) writeFileSync(target, expected);
  else if (readFileSync(target, 'utf8') !== expected) {
    process.stderr.write('docs/api.md is out of date. To fix it: npm run docs:api\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
