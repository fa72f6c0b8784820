/**
 * The files with which a scaffolded server is deployed: their schemas are those of Compose and Kubernetes, and they agree
 * with the server and with each other.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createServer } from '../../generated/2026-07-28/server.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { readTemplateProject } from '../../generator/read/builtin/template-project.js';
import { composeProject } from '../../generator/scaffold/project/compose.js';
import { PACKAGE_MANAGERS, serviceName, type Selection } from '../../generator/scaffold/project/selection.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { compileFiles } from '../support/compiler.js';

afterAll(removeTemporaryFolders);

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const SELECTION: Selection = {
  kind: 'server',
  packageName: '@acme/my_server',
  revisions: ['2025-11-25', '2026-07-28'].map((revision) => ({
    revision,
    isStateless: revision === '2026-07-28',
    methods: [],
    extensions: [],
  })),
  features: ['tools'],
  transports: ['http'],
  runtime: 'none',
  schemas: 'json',
  store: 'redis',
  packageManager: 'npm',
};
const composed = (more: Partial<Selection> = {}): ReadonlyMap<string, string> =>
  composeProject(
    readTemplateProject('server'),
    { ...SELECTION, ...more },
    { ranges: { ...devDependencies, ...dependencies }, own: '*' },
  );
const files = composed();
const textOf = (name: string): string => files.get(name) ?? '';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}
interface Labeled {
  readonly metadata: { readonly name: string; readonly labels: object };
}
const deployment = parse(textOf('kubernetes/deployment.yaml')) as Labeled & {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
  };
};
const service = parse(textOf('kubernetes/service.yaml')) as Labeled & {
  readonly spec: { readonly selector: object; readonly ports: readonly { readonly targetPort: string }[] };
};
const autoscaler = parse(textOf('kubernetes/autoscaler.yaml')) as Labeled & {
  readonly spec: { readonly minReplicas: number; readonly scaleTargetRef: { readonly name: string } };
};
const budget = parse(textOf('kubernetes/disruption-budget.yaml')) as Labeled & {
  readonly spec: { readonly selector: { readonly matchLabels: object } };
};
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}
const compose = parse(textOf('compose.yaml')) as { readonly services: Readonly<Record<string, ComposeService>> };
const instances = Object.entries(compose.services).filter(([name]) => name.startsWith('server-'));

/** What Dockerfile sets. */
const variables = new Map(
  [...(/^ENV (.*)$/m.exec(textOf('Dockerfile'))?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value]) => [
    name,
    value,
  ]),
);
const drainSeconds = Number(/DRAIN_TIMEOUT_MS = ([\d_]+)/.exec(textOf('src/http.ts'))?.[1]?.replaceAll('_', '')) / 1000;

describe('the files have the form that their programs expect', () => {
  test('compose.yaml', () => {
    // Ajv knows the dialect by another address.
    const text = readFileSync('node_modules/dclint/schemas/compose.schema.json', 'utf8');
    const { $schema: dialect, ...schema } = JSON.parse(text) as { readonly $schema: string };
    expect(dialect).toContain('/draft-07/');
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
    // The schema notices what is unknown.
    expect(validate({ services: { server: { imagee: 'x' } } })).toBe(false);
  });

  test('kubernetes/', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.resolve('node_modules/kubernetes-types'), path.join(folder, 'node_modules/kubernetes-types'));
    const check = (name: string, type: string, value: unknown): string => {
      const file = path.join(folder, `${name}.ts`);
      const [, module = '', kind = ''] = /^(.*)\/(\w+)$/.exec(type) ?? [];
      const code = `import type { ${kind} } from 'kubernetes-types/${module}';\nexport const value: ${kind} = `;
      writeFileSync(file, `${code}${JSON.stringify(value, undefined, 2)};\n`);
      return file;
    };
    const errors = await compileFiles(
      folder,
      [
        check('deployment', 'apps/v1/Deployment', deployment),
        check('service', 'core/v1/Service', service),
        check('autoscaler', 'autoscaling/v2/HorizontalPodAutoscaler', autoscaler),
        check('disruption-budget', 'policy/v1/PodDisruptionBudget', budget),
        check('misspelled', 'core/v1/Service', { apiVersion: 'v1', kind: 'Service', spec: { portss: [] } }),
      ],
      { strict: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler', types: [] },
    );
    // Unknown members are errors, as the last file shows.
    expect(errors.map((line) => line.split('(')[0])).toEqual(['misspelled.ts']);
  });

  test('kubernetes/kustomization.yaml lists all of them', () => {
    const { resources } = parse(textOf('kubernetes/kustomization.yaml')) as { readonly resources: readonly string[] };
    const manifests = [...files.keys()].filter((name) => /^kubernetes\/(?!kustomization)/.test(name));
    expect(manifests.length).toBe(4);
    expect(resources.map((name) => `kubernetes/${name}`).sort()).toEqual(manifests);
  });
});

describe('they agree', () => {
  test('on the port', () => {
    const port = variables.get('PORT');
    expect(variables.get('HOST')).toBe('0.0.0.0');
    expect(textOf('Dockerfile')).toMatch(new RegExp(`^EXPOSE ${port}$`, 'm'));
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    expect(probes.map(({ httpGet }) => httpGet.port)).toEqual(['http', 'http', 'http']);
    const upstreams = /reverse_proxy (.*) \{/.exec(textOf('Caddyfile'))?.[1]?.split(' ');
    expect(upstreams).toEqual(instances.map(([name]) => `${name}:${port}`));
    expect(instances.length).toBe(2);
    for (const [, { healthcheck }] of instances) expect(healthcheck?.test.join(' ')).toContain(`127.0.0.1:${port}/`);
    const listening = /^:(\d+) \{$/m.exec(textOf('Caddyfile'))?.[1];
    expect(compose.services['proxy']?.ports).toEqual([`127.0.0.1:${listening}:${listening}`]);
    expect(Object.keys(compose.services['proxy']?.depends_on ?? {})).toEqual(instances.map(([name]) => name));
  });

  test('on the paths of the health checks', async () => {
    expect(textOf('src/listen.ts')).toContain('health: true');
    const info = { name: 'x', version: '1.0.0' };
    const handler = createHttpHandler({ server: createServer({ info, handlers: {} }), path: '/mcp', health: true });
    const paths = {
      startup: container.startupProbe.httpGet.path,
      readiness: container.readinessProbe.httpGet.path,
      liveness: container.livenessProbe.httpGet.path,
      balancer: /health_uri (\S+)/.exec(textOf('Caddyfile'))?.[1],
      container: /127\.0\.0\.1:\d+(\/\w+)/.exec(instances[0]?.[1].healthcheck?.test.join(' ') ?? '')?.[1],
    };
    const statuses = async (): Promise<object> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(paths).map(async ([name, at]) => {
            const { status } = await handler.fetch(new Request(`http://10.0.0.1:3000${at}`));
            return [name, status] as const;
          }),
        ),
      );
    expect(await statuses()).toEqual({ startup: 200, readiness: 200, liveness: 200, balancer: 200, container: 200 });
    await handler.drain();
    // A server that stops gets no requests, and is not restarted.
    expect(await statuses()).toEqual({ startup: 200, readiness: 503, liveness: 200, balancer: 503, container: 503 });
  });

  test('on the time to stop', () => {
    expect(drainSeconds).toBeGreaterThan(0);
    for (const [, { stop_grace_period: period = '' }] of instances)
      expect(Number(/^(\d+)s$/.exec(period)?.[1])).toBeGreaterThanOrEqual(drainSeconds + 5);
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + drainSeconds + 5);
    // The texts next to the numbers say the same.
    expect(textOf('compose.yaml')).toContain(`src/http.ts, ${drainSeconds} seconds.`);
    expect(textOf('kubernetes/deployment.yaml')).toContain(`${seconds} + ${drainSeconds} seconds.`);
    expect(textOf('README.md')).toContain(`after ${drainSeconds} seconds at most`);
  });

  test('on how long a connection is kept', () => {
    const ours = Number(/keepAliveTimeout: ([\d_]+)/.exec(textOf('src/listen.ts'))?.[1]?.replaceAll('_', '')) / 1000;
    expect(Number(/keepalive (\d+)s/.exec(textOf('Caddyfile'))?.[1])).toBeLessThan(ours);
  });

  test('on names and labels', () => {
    const name = 'my-server';
    const labels = { 'app.kubernetes.io/name': name };
    for (const { metadata } of [deployment, service, autoscaler, budget])
      expect([metadata.name, metadata.labels]).toEqual([name, labels]);
    for (const selector of [deployment.spec.selector, budget.spec.selector])
      expect(selector).toEqual({ matchLabels: labels });
    expect([service.spec.selector, deployment.spec.template.metadata.labels]).toEqual([labels, labels]);
    expect([autoscaler.spec.scaleTargetRef.name, autoscaler.spec.minReplicas]).toEqual([name, 2]);
    const { images } = parse(textOf('kubernetes/kustomization.yaml')) as {
      images: readonly { readonly name: string }[];
    };
    expect(images.map((image) => image.name)).toEqual([container.image]);
  });

  test('on variables and secrets', () => {
    const known = new Set(
      [...textOf('src/settings.ts').matchAll(/(?:textOf|listOf)\("(\w+)"\)/g)].map(([, name]) => name),
    );
    const documented = [...textOf('README.md').matchAll(/`([A-Z_]{4,})`/g)].map(([, name]) => name);
    expect([...known].filter((name) => !documented.includes(name))).toEqual([]);
    const set = [
      ...instances.flatMap(([, { environment = {} }]) => Object.keys(environment)),
      ...container.env.map(({ name }) => name),
    ];
    expect(set.length).toBe(9);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    // The command at the top of the kustomization creates each secret that is read.
    const command = textOf('kubernetes/kustomization.yaml');
    const secrets = container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    expect(secrets.map(({ key }) => key)).toEqual(['redis-url', 'request-state-secret']);
    for (const { name, key } of secrets) {
      expect(command).toContain(`create secret generic ${name} `);
      expect(command).toContain(`--from-literal=${key}=`);
    }
    expect(textOf('Caddyfile').toLowerCase()).toContain(
      `header_up ${instances[0]?.[1].environment?.['CLIENT_ADDRESS_HEADER']} `,
    );
  });

  test('on the database', () => {
    for (const [, { environment, depends_on: needed = {} }] of instances) {
      expect(new URL(environment?.['REDIS_URL'] ?? '').hostname in compose.services).toBe(true);
      expect(Object.keys(needed)).toEqual(['redis']);
    }
  });
});

describe('without a stateless revision there is no state of requests to sign', () => {
  const stateful = composed({ revisions: SELECTION.revisions.slice(0, 1) });
  test.each([...files.keys()].filter((name) => textOf(name).includes('REQUEST_STATE')))('%s', (name) => {
    expect(stateful.get(name)).toEqual(expect.not.stringMatching(/REQUEST_STATE|request-state/));
  });
});

test('a server whose sessions are in memory has none of these files', () => {
  const memory = [...composed({ store: 'memory' }).keys()];
  const added = [...files.keys()].filter((name) => !memory.includes(name));
  expect(added).toEqual([
    ...['.dockerignore', 'Caddyfile', 'Dockerfile', 'compose.yaml'],
    ...['autoscaler', 'deployment', 'disruption-budget', 'kustomization', 'service'].map(
      (name) => `kubernetes/${name}.yaml`,
    ),
    ...['src/settings.ts', 'src/store.ts', 'test/store.test.ts'],
  ]);
  const settings = [...composed({ store: 'memory' }).values()].join('\n');
  expect(settings).not.toMatch(/redis|REDIS|settings\.js/);
});

describe('the image', () => {
  const LOCKFILES = { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock', bun: 'bun.lock' } as const;
  const choices = PACKAGE_MANAGERS.flatMap((packageManager) =>
    (packageManager === 'yarn' ? ['1.22.22', '4.9.0'] : ['1.0.0']).map((managerVersion) => [
      packageManager,
      managerVersion,
    ]),
  ) as readonly (readonly [Selection['packageManager'], string])[];

  test.each(choices)('of %s %s contains what it copies, and nothing else is sent', (packageManager, managerVersion) => {
    const project = composed({ packageManager, managerVersion });
    const copied = [...(project.get('Dockerfile') ?? '').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
      ([, names = '']) => names.replaceAll('*', '').split(' '),
    );
    const sent = [...(project.get('.dockerignore') ?? '').matchAll(/^!(.*)$/gm)].map(([, name]) => name);
    expect([...new Set(copied)].sort()).toEqual([...sent].sort());
    expect(copied).toContain(LOCKFILES[packageManager]);
    expect(project.get('Dockerfile')).toMatch(/^USER [1-9]\d*$/m);
    expect(project.get('.dockerignore')).toMatch(/^\*$/m);
  });

  test('starts the program that package.json starts', () => {
    for (const transports of [['http'], ['stdio', 'http']] satisfies Selection['transports'][]) {
      const project = composed({ transports });
      const { scripts } = JSON.parse(project.get('package.json') ?? '') as { scripts: Record<string, string> };
      const [, command = '[]'] = /^CMD (.*)$/m.exec(project.get('Dockerfile') ?? '') ?? [];
      expect((JSON.parse(command) as string[]).join(' ')).toBe(scripts['start:http'] ?? scripts['start']);
    }
  });
});

test.each([
  ['demo', 'demo'],
  ['@acme/demo', 'demo'],
  ['my_server.v2', 'my-server-v2'],
  ['2fast', 'mcp-2fast'],
  ['_2fast', 'mcp-2fast'],
  ['~x~', 'x'],
  ['--x', 'x'],
  [`a${'b'.repeat(38)}-cd`, `a${'b'.repeat(38)}`],
  ['~', 'mcp-server'],
])('the package %s is the service %s', (packageName, name) => {
  expect(serviceName(packageName)).toBe(name);
  expect(name).toMatch(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/);
});
