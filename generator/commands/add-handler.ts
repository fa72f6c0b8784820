import { existsSync } from 'node:fs';
import path from 'node:path';
import { handledMethods, typedMethods } from '../emit/handled.js';
import { McpgenError } from '../errors.js';
import { loadAll } from '../index.js';
import type { Method, Protocol, Side } from '../model/protocol.js';
import { layOutFile } from '../output/format.js';
import { editOf, planChanges, type FileChange } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import { importPath } from '../paths.js';
import { readText } from '../read/files.js';
import { handlerFile, handlerNames, type HandlerNames } from '../scaffold/handler-file.js';
import { handledIn } from '../scaffold/method-names.js';
import { typedRevision } from '../scaffold/protocol-file.js';
import { registerHandler, type HandlerPlace } from '../scaffold/register-handler.js';
import { say, sayJson } from '../terminal.js';
import { escapeHidden, nearest } from '../text.js';
import { authorFiles } from './author-files.js';
import { asJson, sayTouched } from './changes.js';
import { planOf } from './generate-plan.js';
import { flag, text } from './options.js';
import { ENTRIES, sidesOf } from './project.js';
import { naming, projectFlags, settingsOf } from './settings.js';

interface HandlerProject {
  readonly folder: string;
  /** Absolute path of the generated code. */
  readonly out: string;
  readonly side: Side;
  readonly extension: string;
  /** Those that are generated, oldest first. */
  readonly protocols: readonly Protocol[];
}

/** `mcpgen add handler`: writes handlers of methods, and names them in the server or client. Returns the exit code. */
export async function addHandlerCommand(methods: readonly string[], flags: Record<string, unknown>): Promise<number> {
  const project = await projectOf(flags);
  if (methods.length === 0) throw await withoutMethod(project);
  const texts = new Map<string, string>();
  const originals = new Map<string, string>();
  const read = (file: string): string => {
    const known = texts.get(file);
    if (known !== undefined) return known;
    const own = readText(path.join(project.folder, file));
    originals.set(file, own);
    texts.set(file, own);
    return own;
  };
  const own: { path: string; contents: string; belongsToUser: true }[] = [];
  const added: { method: string; file: string; identifier: string; registeredIn: string; registered: boolean }[] = [];
  for (const name of new Set(methods)) {
    const { method, protocol, isForeign } = find(project, name);
    const names = handlerNames(method);
    const stem = freeStem(project, names, name);
    const file = `src/handlers/${stem}.ts`;
    const place = await registered(project, method, { ...names, stem }, read, texts);
    const folder = importPath(path.join(project.folder, 'src/handlers'), project.out);
    const contents = await layOutFile(
      handlerFile({
        method,
        identifier: names.identifier,
        side: project.side,
        isForeign,
        revision: `${folder}/${protocol.revision}`,
        runtime: `${folder}/runtime`,
        extension: project.extension,
      }),
      file,
    );
    if (place.status === 'added' || existsSync(path.join(project.folder, file))) {
      own.push({ path: file, contents, belongsToUser: true });
    }
    added.push({
      method: name,
      file,
      identifier: names.identifier,
      registeredIn: place.file,
      registered: place.status === 'added',
    });
  }
  const changes: FileChange[] = [
    ...planChanges(project.folder, own),
    ...[...originals].map(([file, actual]): FileChange => {
      const expected = texts.get(file) ?? actual;
      return expected === actual ? { path: file, status: 'kept', expected, actual } : editOf(file, expected, actual);
    }),
  ];
  const isDry = flag(flags, 'dryRun');
  if (!isDry) writeChanges(project.folder, changes);
  if (flag(flags, 'json')) {
    const files = changes.filter(({ status }) => status !== 'unchanged').map((change) => asJson(change, false));
    sayJson({ kind: 'handler', side: project.side, handlers: added, dryRun: isDry, files });
    return 0;
  }
  const notes = new Map(
    [...originals.keys()].map((file) => [
      file,
      `...${added
        .filter(({ registered: isNew, registeredIn }) => isNew && registeredIn === file)
        .map(({ identifier }) => identifier)
        .join(', ...')}`,
    ]),
  );
  if (!sayTouched(changes, isDry, notes)) {
    say(`${escapeHidden([...new Set(methods)].join(', '))}: handled already; nothing was changed`);
  }
  return 0;
}

async function projectOf(flags: Record<string, unknown>): Promise<HandlerProject> {
  const given = projectFlags(flags);
  const settings = await settingsOf(given);
  const { config } = settings;
  const sides = config === undefined ? [] : sidesOf(config.folder);
  const asked = text(flags, 'to');
  if (asked !== undefined && asked !== 'server' && asked !== 'client') {
    throw new McpgenError(`${JSON.stringify(asked)} is no side`, { place: '--to', remedy: 'Give server or client.' });
  }
  const [first, second] = sides;
  if (config === undefined || first === undefined || (asked !== undefined && !sides.includes(asked))) {
    throw new McpgenError(
      config === undefined
        ? 'this is not the project of a server or client: there is no mcpgen.config.json here or above'
        : `this is not the project of a ${asked ?? 'server or client'}: there is no ${asked === undefined ? `${ENTRIES.server} or ${ENTRIES.client}` : ENTRIES[asked]}`,
      {
        place: config === undefined ? process.cwd() : config.folder,
        remedy: '`mcpgen init server NAME` and `mcpgen init client NAME` write such projects.',
      },
    );
  }
  if (second !== undefined && asked === undefined) {
    throw new McpgenError('the project has both a server and a client', {
      place: config.folder,
      remedy: 'Say which one is to handle it: --to server, or --to client.',
    });
  }
  const { out = 'generated', importExtension = 'js' } = config.config;
  return naming(settings, given, async () => {
    const { options } = await planOf(settings);
    return {
      folder: config.folder,
      out: path.resolve(config.folder, out),
      side: asked ?? first,
      extension: importExtension === 'none' ? '' : `.${importExtension}`,
      protocols: await loadAll(options),
    };
  });
}

/** The method, in the revision in whose types the project is written if that has it, else in the newest that has. */
function find(
  project: HandlerProject,
  name: string,
): { readonly method: Method; readonly protocol: Protocol; readonly isForeign: boolean } {
  const { protocols, side, folder } = project;
  const file = path.join(folder, 'src/protocol.ts');
  const typed = existsSync(file) ? typedRevision(readText(file), side) : undefined;
  const having = protocols.flatMap((protocol) =>
    typedMethods(protocol, side)
      .filter((method) => method.name === name)
      .map((method) => ({ method, protocol })),
  );
  const found = having.find(({ protocol }) => protocol.revision === typed) ?? having.at(-1);
  if (found !== undefined) return { ...found, isForeign: typed !== undefined && found.protocol.revision !== typed };
  const known = protocols.some(({ methods }) => methods.some((method) => method.name === name));
  const names = [
    ...new Set(protocols.flatMap((protocol) => typedMethods(protocol, side).map((method) => method.name))),
  ];
  const near = nearest(name, names);
  throw new McpgenError(
    known
      ? `a ${side} has no handler of ${name}: no ${side === 'server' ? 'client' : 'server'} sends it, or the runtime answers it`
      : `there is no method ${JSON.stringify(name)} in ${protocols.map(({ revision }) => revision).join(', ')}`,
    {
      place: 'METHOD',
      remedy: near === undefined ? `There are ${names.sort().join(', ')}.` : `Did you mean ${near}?`,
    },
  );
}

/** Tells what is not handled yet, where no method is named. */
async function withoutMethod({ protocols, side, folder, out }: HandlerProject): Promise<McpgenError> {
  const all = new Set(protocols.flatMap((protocol) => handledMethods(protocol, side).map(({ name }) => name)));
  const handled = await handledIn(await authorFiles(folder, out), [...all]);
  const open = [...all].filter((name) => !handled.has(name)).sort();
  return new McpgenError('no method is named', {
    place: 'METHOD',
    remedy: open.length === 0 ? 'All that there is has a handler.' : `Without a handler are ${open.join(', ')}.`,
  });
}

/** Another name where the file of a name is that of another method. */
function freeStem({ folder }: HandlerProject, { stem }: HandlerNames, method: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    const file = path.join(folder, `src/handlers/${name}.ts`);
    if (!existsSync(file) || readText(file).includes(method)) return name;
  }
}

/** Names a handler in the entry of the project, or in the file that its handlers come from. */
async function registered(
  { folder, side }: HandlerProject,
  method: Method,
  { stem, identifier }: HandlerNames,
  read: (file: string) => string,
  texts: Map<string, string>,
): Promise<{ readonly file: string; readonly status: 'added' | 'present' }> {
  let file = ENTRIES[side];
  let place: HandlerPlace = {
    maker: side === 'server' ? 'createServer' : 'createClient',
    member: method.kind === 'request' ? 'handlers' : 'notifications',
  };
  for (;;) {
    const from = importPath(path.posix.dirname(file), `src/handlers/${stem}`);
    const result = await registerHandler(read(file), place, { name: identifier, from, method: method.name });
    if (result.status === 'added') texts.set(file, result.text);
    if (result.status === 'added' || result.status === 'present') return { file, status: result.status };
    if (result.status === 'elsewhere' && !('object' in place)) {
      const target = path.posix.join(path.posix.dirname(file), result.from.replace(/\.[cm]?[jt]s$/, ''));
      const found = [`${target}.ts`, `${target}/index.ts`].find((name) => existsSync(path.join(folder, name)));
      if (found !== undefined && !target.startsWith('..')) {
        file = found;
        place = { object: result.object };
        continue;
      }
    }
    const line = result.status === 'unknown' ? result.line : 1;
    const reason =
      result.status === 'unknown' ? result.reason : `its handlers come from ${result.from}, which is not there`;
    throw new McpgenError(`${reason}, so ${identifier} cannot be added to it; nothing was written`, {
      place: `${file}:${line}`,
      remedy: `By hand: write ${JSON.stringify(method.name)}: () => { ... } among its ${'member' in place ? place.member : place.object}.`,
    });
  }
}
