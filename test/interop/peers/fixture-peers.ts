/** Revisions without a session, where a server asks for input inside a result. */
export const STATELESS = '2026-07-28';

/** An error that a server answers with. Both official SDKs take code and data off any error. */
export class FixtureError extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type Params = Readonly<Record<string, unknown>>;
export type Result = Record<string, unknown>;

/** What a handler can do, whatever the SDK below. */
export interface PeerContext {
  readonly revision: string;
  readonly signal: AbortSignal;
  progress(progress: number, total: number, message: string): Promise<void> | void;
  log(level: 'debug' | 'info', data: unknown): Promise<void> | void;
  /** Tells the client, outside of the request. */
  notify(method: string, params?: Result): Promise<void> | void;
  /** Sends a request to the client. */
  ask(method: string, params?: Result): Promise<Result>;
  /** Asks the client for input inside of the result. */
  input(requests: Readonly<Record<string, { method: string; params?: Result }>>): Promise<Result>;
}

/** Methods that the garden answers itself; what is left is the SDKs' own. */
export const ANSWERED_METHODS = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;
export const SESSION_METHODS = ['resources/subscribe', 'resources/unsubscribe'] as const;
export const TASK_METHODS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'] as const;

export const INSTRUCTIONS = 'Water in the morning. Do not walk on the beds.';

/** What a server of the garden declares. */
export function serverCapabilities(revision: string): Result {
  return {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    ...(revision === '2024-11-05' ? {} : { completions: {} }),
    ...(revision === '2025-11-25' ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {}),
  };
}

const bed = { type: 'object', properties: { bed: { type: 'string' } }, required: ['bed'] };
const nothing = { type: 'object', properties: {} };

export const TOOLS = [
  { name: 'water', description: 'Waters a bed.', inputSchema: bed },
  { name: 'dig', description: 'Digs a bed over, if the ground allows.', inputSchema: bed },
  { name: 'uproot', description: 'Refuses to pull anything out.', inputSchema: bed },
  { name: 'grow', description: 'Lets a bed grow and tells how far it is.', inputSchema: bed },
  { name: 'watch', description: 'Watches the garden until told to stop.', inputSchema: nothing },
  { name: 'visit', description: 'Asks the client for something.', inputSchema: nothing },
  { name: 'plant', description: 'Plants a bed, which changes every list.', inputSchema: nothing },
  { name: 'letter', description: 'Has the user sign a form on a page.', inputSchema: nothing },
  { name: 'compost', description: 'Turns leaves into soil, which takes a while.', inputSchema: nothing },
];

export const RESOURCES = [
  { uri: 'garden://beds/roses', name: 'roses', mimeType: 'text/plain' },
  { uri: 'garden://beds/herbs', name: 'herbs', mimeType: 'image/png' },
];
const TEMPLATES = [{ uriTemplate: 'garden://beds/{bed}', name: 'bed' }];
const PROMPTS = [
  { name: 'season', description: 'Plans a month.', arguments: [{ name: 'month', required: true }] },
  { name: 'harvest', description: 'Plans the harvest.' },
];
const MONTHS = ['march', 'may', 'june'];

/** The first page holds all but the last few, so that every list has two. */
function page(name: string, items: readonly object[], { cursor }: Params): Result {
  const half = Math.ceil(items.length / 2);
  if (cursor === undefined) return { [name]: items.slice(0, half), nextCursor: `${name}-2` };
  if (cursor === `${name}-2`) return { [name]: items.slice(half) };
  throw new FixtureError(-32602, 'No such page', { cursor });
}

function text(words: string): Result {
  return { content: [{ type: 'text', text: words }] };
}

/** JSON with sorted keys, since each SDK has a different key order. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

const ELICITATION = {
  message: 'Which bed, and how deep?',
  requestedSchema: {
    type: 'object',
    properties: { bed: { type: 'string' }, depth: { type: 'number' } },
    required: ['bed'],
  },
};
const SAMPLING = {
  messages: [{ role: 'user', content: { type: 'text', text: 'One line about roses.' } }],
  maxTokens: 40,
};

/** What `visit` asks for, by the name of it. */
function question(what: unknown, revision: string): { method: string; params?: Result } {
  switch (what) {
    case 'elicitation':
      return {
        method: 'elicitation/create',
        params: revision < '2025-11-25' ? ELICITATION : { mode: 'form', ...ELICITATION },
      };
    case 'sampling':
      return { method: 'sampling/createMessage', params: SAMPLING };
    case 'roots':
      return { method: 'roots/list' };
    default:
      return { method: 'ping' };
  }
}

const WHEN = '2026-01-01T08:00:00Z';
type Task = { taskId: string; status: string; createdAt: string; lastUpdatedAt: string; ttl: number | null };

/** Tasks of one side, without a clock: one is working when made and done when next looked at. */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();
  readonly #payload: Result;

  constructor(payload: Result) {
    this.#payload = payload;
  }

  make(): Task {
    const taskId = `task-${this.#tasks.size + 1}`;
    const task = { taskId, status: 'working', createdAt: WHEN, lastUpdatedAt: WHEN, ttl: null };
    this.#tasks.set(taskId, task);
    return { ...task };
  }

  answer(method: string, params: Params): Result {
    if (method === 'tasks/list') return { tasks: [...this.#tasks.values()] };
    const task = this.#tasks.get(String(params['taskId']));
    if (task === undefined) throw new FixtureError(-32602, 'No such task', { taskId: params['taskId'] });
    if (method === 'tasks/cancel') task.status = 'cancelled';
    if (method === 'tasks/get') return { ...task };
    if (method === 'tasks/cancel') return { ...task };
    task.status = 'completed';
    return {
      ...this.#payload,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } },
    };
  }
}

/** Counts what was cancelled. */
export interface StoppedCounter {
  increment(): Promise<void> | void;
  read(): Promise<number> | number;
}

function localCounter(): StoppedCounter {
  let stopped = 0;
  return {
    increment: () => {
      stopped += 1;
    },
    read: () => stopped,
  };
}

/** The garden: one for each connection, since it counts what was cancelled. */
export class FixtureServer {
  readonly shed = new TaskStore(text('Good soil.'));
  readonly #stopped: StoppedCounter;

  /** @param stopped - Where its requests come to several processes, one that they share. */
  constructor(stopped: StoppedCounter = localCounter()) {
    this.#stopped = stopped;
  }

  async answer(method: string, params: Params, port: PeerContext): Promise<Result> {
    switch (method) {
      case 'tools/list':
        return page('tools', TOOLS, params);
      case 'tools/call':
        return this.#call(String(params['name']), (params['arguments'] ?? {}) as Params, params, port);
      case 'resources/list':
        return page('resources', RESOURCES, params);
      case 'resources/templates/list':
        return { resourceTemplates: TEMPLATES };
      case 'resources/read':
        return read(String(params['uri']), port.revision);
      case 'prompts/list':
        return page('prompts', PROMPTS, params);
      case 'prompts/get':
        return prompt(String(params['name']), (params['arguments'] ?? {}) as Params);
      case 'completion/complete': {
        const { value } = params['argument'] as { value: string };
        const values = MONTHS.filter((month) => month.startsWith(value));
        return { completion: { values, total: values.length, hasMore: false } };
      }
      default:
        return method.startsWith('tasks/') ? this.shed.answer(method, params) : {};
    }
  }

  async #call(name: string, given: Params, params: Params, port: PeerContext): Promise<Result> {
    const isStateless = port.revision === STATELESS;
    switch (name) {
      case 'water':
        return text(`Watered the ${String(given['bed'])}.`);
      case 'dig':
        return { ...text('The ground is frozen.'), isError: true };
      case 'uproot':
        throw new FixtureError(-32001, 'Nothing is uprooted here', { bed: given['bed'] });
      case 'grow':
        await port.log('debug', { moisture: 0.4 });
        await port.log('info', { bed: given['bed'] });
        for (const step of [1, 2, 3]) await port.progress(step, 3, `leaf ${step}`);
        // Clients of both official SDKs lose progress that comes in one piece with the answer.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return text(`Stopped watching ${await this.#stopped.read()} times.`);
      case 'watch':
        await port.progress(1, 2, 'watching');
        await new Promise<void>((resolve) => {
          port.signal.addEventListener('abort', () => {
            resolve();
          });
          if (port.signal.aborted) resolve();
        });
        await this.#stopped.increment();
        return text('Nothing happened.');
      case 'visit': {
        const asked = question(given['what'], port.revision);
        if (given['as'] === 'task') return this.#throughTask(asked, port);
        const answer = isStateless
          ? (await port.input({ visitor: asked }))['visitor']
          : await port.ask(asked.method, asked.params);
        return text(ordered(answer));
      }
      case 'plant':
        await port.notify('notifications/tools/list_changed');
        await port.notify('notifications/prompts/list_changed');
        await port.notify('notifications/resources/list_changed');
        await port.notify('notifications/resources/updated', { uri: 'garden://beds/roses' });
        return text('Planted.');
      case 'letter': {
        const elicitationId = 'letter-1';
        const { action } = await port.ask('elicitation/create', {
          mode: 'url',
          message: 'Please sign the letter.',
          url: 'https://garden.example/letter',
          elicitationId,
        });
        await port.notify('notifications/elicitation/complete', { elicitationId });
        return text(`Letter: ${String(action)}.`);
      }
      case 'compost': {
        if (params['task'] === undefined) return text('Only as a task.');
        const task = this.shed.make();
        await port.notify('notifications/tasks/status', task);
        return { task };
      }
      default:
        throw new FixtureError(-32602, 'No such tool', { name });
    }
  }

  /** Has the client make a task of what it is asked, and follows it. */
  async #throughTask(asked: { method: string; params?: Result }, port: PeerContext): Promise<Result> {
    const { task } = (await port.ask(asked.method, { ...asked.params, task: { ttl: 60_000 } })) as { task: Task };
    const { taskId } = task;
    const { status } = await port.ask('tasks/get', { taskId });
    const { tasks } = await port.ask('tasks/list');
    const { model } = await port.ask('tasks/result', { taskId });
    const { task: other } = (await port.ask(asked.method, { ...asked.params, task: {} })) as { task: Task };
    const gone = await port.ask('tasks/cancel', { taskId: other.taskId });
    return text(JSON.stringify([status, (tasks as unknown[]).length, model, gone['status']]));
  }
}

function read(uri: string, revision: string): Result {
  switch (uri) {
    case 'garden://beds/roses':
      return { contents: [{ uri, mimeType: 'text/plain', text: 'Roses, 12.' }] };
    case 'garden://beds/herbs':
      return { contents: [{ uri, mimeType: 'image/png', blob: 'aGVyYnM=' }] };
    default:
      throw new FixtureError(revision === STATELESS ? -32602 : -32002, 'No such bed', { uri });
  }
}

function prompt(name: string, given: Params): Result {
  if (name !== 'season') throw new FixtureError(-32602, 'No such prompt', { name });
  return {
    description: 'Plans a month.',
    messages: [{ role: 'user', content: { type: 'text', text: `What is to do in ${String(given['month'])}?` } }],
  };
}

/** What a client answers, the same in every SDK. */
export class FixtureClient {
  readonly shed = new TaskStore(WRITTEN);

  answer(method: string, params: Params): Result {
    switch (method) {
      case 'roots/list':
        return { roots: [{ uri: 'file:///garden', name: 'Garden' }] };
      case 'sampling/createMessage':
        return params['task'] === undefined ? WRITTEN : { task: this.shed.make() };
      case 'elicitation/create':
        return params['mode'] === 'url'
          ? { action: 'accept' }
          : { action: 'accept', content: { bed: 'herbs', depth: 2.5 } };
      default:
        return this.shed.answer(method, params);
    }
  }
}

const WRITTEN: Result = {
  role: 'assistant',
  model: 'by-hand',
  content: { type: 'text', text: 'Roses by the wall.' },
  stopReason: 'endTurn',
};

/** What a client declares. */
export function clientCapabilities(revision: string): Result {
  return {
    roots: revision === STATELESS ? {} : { listChanged: true },
    sampling: {},
    ...(revision < '2025-06-18' ? {} : { elicitation: revision < '2025-11-25' ? {} : { form: {}, url: {} } }),
    ...(revision === '2025-11-25'
      ? { tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } } }
      : {}),
  };
}
