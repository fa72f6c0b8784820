import { existsSync } from 'node:fs';
import path from 'node:path';
import { handledMethods, methodsWithHandlerType } from '../../emit/handled.js';
import { McpgenError } from '../../errors.js';
import { fileExtension } from '../../print/source-file.js';
import { loadAll } from '../../index.js';
import type { Method, Protocol, Side } from '../../model/protocol.js';
import { formatAuthorFile, formatEdited } from '../../output/format.js';
import { fileEdit, planChanges, type FileChange } from '../../output/plan.js';
import { writeChanges } from '../../output/write.js';
import { displayPath, relativeImportPath } from '../../paths.js';
import { readTextFile, readTextIfExists } from '../../read/files.js';
import { methodHandlerFile, handlerNames, type HandlerNames } from '../../scaffold/edit/handler-file.js';
import { findHandledMethods } from '../../scaffold/edit/method-names.js';
import { typedRevision } from '../../scaffold/project/protocol-file.js';
import { withoutExtension } from '../../scaffold/edit/edits.js';
import { handlerTarget, registerHandler, type HandlerTarget } from '../../scaffold/edit/register-handler.js';
import { printLine, printJson } from '../../terminal.js';
import { escapeHiddenCharacters, closestMatch } from '../../text.js';
import { readAuthorFiles } from '../shared/author-files.js';
import { fileChangeJson, printAuthorFileChanges } from '../shared/file-changes.js';
import { planGenerate } from '../generate/plan.js';
import { ENTRY_FILES, sidesOf } from '../shared/project.js';
import { withConfigLocations, configuredByFile, resolveSettings } from '../shared/settings.js';
import type { AddHandlerOptions } from './options.js';

interface HandlerProject {
  readonly folder: string;
  /** Absolute path of the generated code. */
  readonly out: string;
  readonly side: Side;
  readonly extension: string;
  /** The generated revisions, oldest first. */
  readonly protocols: readonly Protocol[];
}

export { parseAddHandlerOptions } from './options.js';

/**
 * `mcpgen add handler`: writes handlers of methods, and registers them in the server or client. Returns the exit code.
 */
export async function addHandlerCommand(methods: readonly string[], options: AddHandlerOptions): Promise<number> {
  const project = await loadHandlerProject(options);
  if (methods.length === 0) throw await methodRequiredError(project);
  const textByFile = new Map<string, string>();
  const originals = new Map<string, string>();
  const readSource = (file: string): string => {
    const cached = textByFile.get(file);
    if (cached !== undefined) return cached;
    const own = readTextFile(path.join(project.folder, file));
    originals.set(file, own);
    textByFile.set(file, own);
    return own;
  };
  const plannedFiles: { path: string; contents: string; belongsToUser: true }[] = [];
  const registrations: {
    method: string;
    file: string;
    identifier: string;
    registeredIn: string;
    registered: boolean;
  }[] = [];
  for (const name of new Set(methods)) {
    const { method, protocol, isForeign } = findMethod(project, name);
    await refuseCompletionOfLists(project, name);
    const names = handlerNames(method);
    const stem = availableStem(project, names, name);
    const file = `src/handlers/${stem}.ts`;
    const place = await registerInProject(project, method, { ...names, stem }, readSource, textByFile);
    const folder = relativeImportPath(path.join(project.folder, 'src/handlers'), project.out);
    const contents = await formatAuthorFile(
      methodHandlerFile({
        method,
        identifier: names.identifier,
        side: project.side,
        isForeign,
        revision: `${folder}/${protocol.revision}`,
        runtime: `${folder}/runtime`,
        extension: project.extension,
      }),
      path.join(project.folder, file),
    );
    if (place.status === 'added' || existsSync(path.join(project.folder, file))) {
      plannedFiles.push({ path: file, contents, belongsToUser: true });
    }
    registrations.push({
      method: name,
      file,
      identifier: names.identifier,
      registeredIn: place.file,
      registered: place.status === 'added',
    });
  }
  const changes: FileChange[] = [
    ...planChanges(project.folder, plannedFiles),
    ...(await Promise.all(
      [...originals].map(async ([file, actual]): Promise<FileChange> => {
        const edited = textByFile.get(file) ?? actual;
        if (edited === actual) return { path: file, status: 'kept', expected: actual, actual };
        return fileEdit(file, await formatEdited(actual, edited, path.join(project.folder, file)), actual);
      }),
    )),
  ];
  const { dryRun, json } = options;
  if (!dryRun) writeChanges(project.folder, changes);
  if (json) {
    const files = changes.filter(({ status }) => status !== 'unchanged').map((change) => fileChangeJson(change, false));
    printJson({ kind: 'handler', side: project.side, handlers: registrations, dryRun, files });
    return 0;
  }
  const notes = new Map(
    [...originals.keys()].map((file) => [
      file,
      `...${registrations
        .filter(({ registered: isNew, registeredIn }) => isNew && registeredIn === file)
        .map(({ identifier }) => identifier)
        .join(', ...')}`,
    ]),
  );
  if (!printAuthorFileChanges(changes, dryRun, notes)) {
    printLine(`${escapeHiddenCharacters([...new Set(methods)].join(', '))}: handled already; nothing was changed`);
  }
  return 0;
}

async function loadHandlerProject(given: AddHandlerOptions): Promise<HandlerProject> {
  const commandLine = configuredByFile(given);
  const settings = await resolveSettings(commandLine);
  const { config } = settings;
  const sides = config === undefined ? [] : sidesOf(config.folder);
  const asked = given.to;
  const [first, second] = sides;
  if (config === undefined || first === undefined || (asked !== undefined && !sides.includes(asked))) {
    throw new McpgenError(
      config === undefined
        ? 'this is not a server or client project: no mcpgen.config.json in this folder or above'
        : `this is not a ${asked ?? 'server or client'} project: there is no ${asked === undefined ? `${ENTRY_FILES.server} or ${ENTRY_FILES.client}` : ENTRY_FILES[asked]}`,
      {
        ...(config === undefined ? {} : { place: displayPath(config.folder) }),
        remedy: 'Create one with `mcpgen init server NAME` or `mcpgen init client NAME`.',
      },
    );
  }
  if (second !== undefined && asked === undefined) {
    throw new McpgenError('the project has both a server and a client', {
      place: displayPath(config.folder),
      remedy: 'Choose one with --to server or --to client.',
    });
  }
  const { out = 'generated', importExtension = 'js' } = config.config;
  return withConfigLocations(settings, commandLine, async () => {
    const { options } = await planGenerate(settings);
    return {
      folder: config.folder,
      out: path.resolve(config.folder, out),
      side: asked ?? first,
      extension: fileExtension(importExtension),
      protocols: await loadAll(options),
    };
  });
}

/** The method in the revision whose types the project uses, or else in the newest revision that has it. */
function findMethod(
  project: HandlerProject,
  name: string,
): { readonly method: Method; readonly protocol: Protocol; readonly isForeign: boolean } {
  const { protocols, side, folder } = project;
  const text = readTextIfExists(path.join(folder, 'src/protocol.ts'));
  const accepting = text === undefined ? undefined : typedRevision(text, side);
  const matching = protocols.flatMap((protocol) =>
    methodsWithHandlerType(protocol, side)
      .filter((method) => method.name === name)
      .map((method) => ({ method, protocol })),
  );
  const found = matching.find(({ protocol }) => protocol.revision === accepting) ?? matching.at(-1);
  if (found !== undefined)
    return { ...found, isForeign: accepting !== undefined && found.protocol.revision !== accepting };
  const known = protocols.some(({ methods }) => methods.some((method) => method.name === name));
  const names = [
    ...new Set(protocols.flatMap((protocol) => methodsWithHandlerType(protocol, side).map((method) => method.name))),
  ];
  const near = closestMatch(name, names);
  throw new McpgenError(
    known
      ? `a ${side} has no handler for ${name}: no ${side === 'server' ? 'client' : 'server'} sends it, or the runtime answers it`
      : `there is no method ${JSON.stringify(name)} in ${protocols.map(({ revision }) => revision).join(', ')}`,
    {
      place: 'METHOD',
      remedy: near === undefined ? `There are ${names.sort().join(', ')}.` : `Did you mean ${near}?`,
    },
  );
}

/** The error for a missing method name; it lists the methods without a handler. */
async function methodRequiredError({ protocols, side, folder, out }: HandlerProject): Promise<McpgenError> {
  const all = new Set(protocols.flatMap((protocol) => handledMethods(protocol, side).map(({ name }) => name)));
  const handled = await findHandledMethods(await readAuthorFiles(folder, out), [...all]);
  const open = [...all].filter((name) => !handled.has(name)).sort();
  return new McpgenError('a method is required', {
    place: 'METHOD',
    remedy: open.length === 0 ? 'Every method has a handler.' : `Without a handler: ${open.join(', ')}.`,
  });
}

/** Refuses a handler of completions where lists of prompts or resources answer them, unless the author has one. */
async function refuseCompletionOfLists({ side, folder, out }: HandlerProject, name: string): Promise<void> {
  if (side !== 'server' || name !== 'completion/complete') return;
  const files = await readAuthorFiles(folder, out);
  if (files.some(({ text }) => text.includes(name)) || !(await findHandledMethods(files, [name])).has(name)) return;
  throw new McpgenError(`${name} is answered by the \`complete\` functions of prompts and resource templates`, {
    place: 'METHOD',
    remedy: 'Add `complete: { ARGUMENT: (typed) => [...] }` to a prompt or a resource template.',
  });
}

/** An alternative file name if another method uses the first one. */
function availableStem({ folder }: HandlerProject, { stem }: HandlerNames, method: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    const text = readTextIfExists(path.join(folder, `src/handlers/${name}.ts`));
    if (text === undefined || text.includes(method)) return name;
  }
}

/** Registers a handler in the entry file, or in the file that its handlers are imported from. */
async function registerInProject(
  { folder, side }: HandlerProject,
  method: Method,
  { stem, identifier }: HandlerNames,
  read: (file: string) => string,
  textByFile: Map<string, string>,
): Promise<{ readonly file: string; readonly status: 'added' | 'present' }> {
  let file = ENTRY_FILES[side];
  let place: HandlerTarget = handlerTarget(side, method.kind);
  for (;;) {
    const from = relativeImportPath(path.posix.dirname(file), `src/handlers/${stem}`);
    const result = await registerHandler(read(file), place, { name: identifier, from, method: method.name });
    if (result.status === 'added') textByFile.set(file, result.text);
    if (result.status === 'added' || result.status === 'present') return { file, status: result.status };
    if (result.status === 'elsewhere' && !('object' in place)) {
      const target = path.posix.join(path.posix.dirname(file), withoutExtension(result.from));
      const found = [`${target}.ts`, `${target}/index.ts`].find((name) => existsSync(path.join(folder, name)));
      if (found !== undefined && !target.startsWith('..')) {
        file = found;
        place = { object: result.object };
        continue;
      }
    }
    const line = result.status === 'unknown' ? result.line : 1;
    const reason =
      result.status === 'unknown' ? result.reason : `its handlers come from ${result.from}, which does not exist`;
    throw new McpgenError(`${reason}, so ${identifier} cannot be added to it; nothing was written`, {
      place: `${file}:${line}`,
      remedy: `Add it by hand: write ${JSON.stringify(method.name)}: () => { ... } in its ${'member' in place ? place.member : place.object}.`,
    });
  }
}
