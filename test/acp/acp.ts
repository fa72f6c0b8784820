import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { generate, type GenerateOptions } from '../../generator/index.js';
import { catalogFile, draftCatalog } from '../../generator/model/catalog/draft.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import { builtinCatalogs } from '../../generator/read/builtin/revisions.js';

export const ACP_REVISIONS = ['v1', 'v2'] as const;
export type AcpRevision = (typeof ACP_REVISIONS)[number];

const root = path.resolve(import.meta.dirname, '../..');
export const acpPackage = path.join(root, 'node_modules/@agentclientprotocol/sdk');

/** The schema of the package as an input of the generator. */
export function acpSchema(revision: AcpRevision, file = 'schema.json'): { name: string; contents: string } {
  const name = path.join(acpPackage, 'schema', revision, file);
  return { name, contents: readFileSync(name, 'utf8') };
}

/** What `catalog derive` prints for a revision. */
export function derive(revision: AcpRevision): { catalog: Record<string, unknown>; notices: readonly string[] } {
  const reading = readSchemaWithoutCatalog(acpSchema(revision), revision);
  const { catalog, notices } = draftCatalog(reading, builtinCatalogs(), { revision });
  const text = JSON.stringify(catalogFile(catalog));
  return {
    catalog: JSON.parse(text) as Record<string, unknown>,
    notices: [...notices, ...reading.warnings.map(String)],
  };
}

/** Generates both revisions below the repository, so that the package and the types of Node resolve. */
export async function generateAcp(options: Pick<GenerateOptions, 'emit'> = {}): Promise<Generated> {
  const out = mkdtempSync(path.join(root, 'node_modules/.acp-'));
  for (const revision of ACP_REVISIONS)
    await generate({
      out,
      importExtension: 'ts',
      strict: true,
      schema: acpSchema(revision),
      catalog: { name: 'acp-catalog.json', contents: JSON.stringify(derive(revision).catalog) },
      ...options,
    });
  return {
    out,
    load: (file) => import(/* @vite-ignore */ pathToFileURL(path.join(out, file)).href) as Promise<never>,
    write: (file, text) => {
      writeFileSync(path.join(out, file), text);
      return path.join(out, file);
    },
    remove: () => {
      rmSync(out, { recursive: true, force: true });
    },
  };
}

interface Generated {
  readonly out: string;
  /** Imports a generated file by its path below the output folder. */
  load(file: string): Promise<never>;
  write(file: string, text: string): string;
  remove(): void;
}
