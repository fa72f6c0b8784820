/**
 * Validators against Ajv: values made from the JSON Schema, as they are and with a change, get the same verdict.
 *
 * `MCPGEN_FUZZ=5000` draws as many values of each definition and kind instead of the default, and of each method a tenth.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import type { Method } from '../../generator/model/protocol.js';
import { isObject, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import type { Validation } from '../../templates/runtime/validation.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { mutated, validValue } from '../support/schema-arbitrary.js';
import { checksOf, validatorsOf } from '../support/validators.js';

/** Values of each definition, drawn twice: as the schema has them, and changed. 553 definitions make 204,610 of them. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 185);
const VALUES_OF_METHOD = Math.ceil(VALUES / 10);
/** Least number of values in a default run, over all revisions. */
const MIN_VALUES = 200_000;
/** The maximum number of differences to report. One is enough to fail. */
const MAX_REPORTED = 10;
const TIMEOUT = 600_000 + VALUES * 10_000;

const counted = { values: 0, wrong: 0 };

describe.each(REVISIONS)('validators of $revision', ({ revision, definitions: number }) => {
  test(
    'agree with the JSON Schema',
    async () => {
      const definitions = correctedDefinitions(revision);
      const oracle = oracleOf(definitions);
      const thorough = thoroughOracle(definitions);
      const count = { values: 0, wrong: 0 };
      const differences: string[] = [];
      for (const name of Object.keys(definitions)) {
        const { is, validate } = await checksOf(revision, name);
        const [expected, places] = [oracle(name), thorough(name)];
        for (const value of valuesOf(definitions, name, VALUES)) {
          count.values += 1;
          const verdict = expected(value);
          if (!verdict) count.wrong += 1;
          const outcome = attempt(() => validate(value));
          const fault =
            faultOf(outcome, verdict, value) ??
            (is(value) === verdict ? undefined : `the guard does not say ${String(verdict)}`) ??
            misplacedFailure(outcome, places, value);
          if (fault !== undefined) differences.push(`${name}: ${fault}: ${textOf(value)}`);
        }
      }
      expect(differences.slice(0, MAX_REPORTED)).toEqual([]);
      expect(count.values).toBe(number * VALUES * 2);
      // Changes must have made a good part of them wrong, or nothing was compared.
      expect(count.wrong).toBeGreaterThan(count.values / 6);
      counted.values += count.values;
      counted.wrong += count.wrong;
    },
    TIMEOUT,
  );

  test(
    'by method agree with the JSON Schema',
    async () => {
      const protocol = await loadProtocol({ revision });
      // Embedded requests are no messages; their definitions were compared above.
      const methods = protocol.methods.filter(({ direction }) => direction !== 'embedded');
      const definitions = withMethods(correctedDefinitions(revision), methods);
      const oracle = oracleOf(definitions);
      const module = (await validatorsOf(revision)) as unknown as ByMethod;
      const count = { values: 0, wrong: 0 };
      const differences: string[] = [];
      const compare = (of: string, value: JsonValue, verdict: boolean, validate: () => Validation<unknown>): void => {
        count.values += 1;
        if (!verdict) count.wrong += 1;
        const fault = faultOf(attempt(validate), verdict, value);
        if (fault !== undefined) differences.push(`${of}: ${fault}: ${textOf(value)}`);
      };
      const isResult = (row: Method, value: JsonValue): boolean => {
        const [complete = 'Result', ...others] = row.results;
        if (!('resultType' in propertiesOf(definitions['Result']))) return oracle(complete)(value);
        if (!isObject(value)) return false;
        const { resultType = 'complete' } = value;
        if (resultType === 'complete') return oracle(complete)({ ...value, resultType });
        return (
          resultType === 'input_required' &&
          others.includes('InputRequiredResult') &&
          oracle('InputRequiredResult')(value)
        );
      };
      for (const row of methods) {
        for (const value of valuesOf(definitions, nameOf(row, 'params'), VALUES_OF_METHOD)) {
          compare(`params of ${row.name}`, value, oracle(nameOf(row, 'params'))(value), () =>
            module.validateParams(row.name, value),
          );
        }
        const isRequest = row.kind === 'request';
        for (const value of valuesOf(definitions, nameOf(row, 'message'), VALUES_OF_METHOD)) {
          // A change may have made it the message of another method.
          const own = methods.find(
            ({ name, kind }) => kind === row.kind && isObject(value) && value['method'] === name,
          );
          const verdict = own !== undefined && oracle(nameOf(own, 'message'))(value);
          compare(`message of ${row.name}`, value, verdict, () =>
            isRequest ? module.validateRequestMessage(value) : module.validateNotificationMessage(value),
          );
        }
        if (row.kind !== 'request') continue;
        for (const name of row.results) {
          for (const value of valuesOf(definitions, name, VALUES_OF_METHOD)) {
            compare(`result of ${row.name}`, value, isResult(row, value), () => module.validateResult(row.name, value));
          }
        }
        if (row.taskResult !== undefined) {
          for (const value of valuesOf(definitions, row.taskResult, VALUES_OF_METHOD)) {
            compare(`task result of ${row.name}`, value, oracle(row.taskResult)(value), () =>
              module.validateTaskResult(row.name, value),
            );
          }
        }
        for (const envelope of [nameOf(row, 'response'), 'test error response']) {
          for (const value of valuesOf(definitions, envelope, VALUES_OF_METHOD)) {
            const verdict =
              oracle('test error response')(value) ||
              (oracle('test result response')(value) && isResult(row, (value as JsonObject)['result'] ?? null));
            compare(`response to ${row.name}`, value, verdict, () => module.validateResponse(row.name, value));
          }
        }
      }
      expect(differences.slice(0, MAX_REPORTED)).toEqual([]);
      expect(count.values).toBeGreaterThan(methods.length * VALUES_OF_METHOD * 4);
      expect(count.wrong).toBeGreaterThan(count.values / 6);
    },
    TIMEOUT,
  );
});

test('as many values were compared as there have to be', () => {
  console.log(`${counted.values} values, ${counted.wrong} of them wrong`);
  expect(counted.values).toBeGreaterThanOrEqual(
    process.env['MCPGEN_FUZZ'] === undefined ? MIN_VALUES : VALUES * 2 * 553,
  );
});

interface ByMethod {
  readonly validateParams: (method: string, params: unknown) => Validation<unknown>;
  readonly validateResult: (method: string, result: unknown) => Validation<unknown>;
  readonly validateTaskResult: (method: string, result: unknown) => Validation<unknown>;
  readonly validateResponse: (method: string, response: unknown) => Validation<unknown>;
  readonly validateRequestMessage: (value: unknown) => Validation<unknown>;
  readonly validateNotificationMessage: (value: unknown) => Validation<unknown>;
}

/** Values of a definition as the schema has them, and as many that were changed; frozen, so that a write would throw. */
function* valuesOf(definitions: JsonObject, name: string, number: number): Generator<JsonValue> {
  for (const value of fc.sample(validValue(definitions, name), number)) yield frozen(value);
  for (const { value } of fc.sample(mutated(definitions, name), number)) yield frozen(value);
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}

function attempt(validate: () => Validation<unknown>): Validation<unknown> | Error {
  try {
    return validate();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What is wrong with an outcome in view of the oracle's verdict. */
function faultOf(outcome: Validation<unknown> | Error, verdict: boolean, value: JsonValue): string | undefined {
  if (outcome instanceof Error) return `throws ${outcome.message}`;
  if (outcome.success !== verdict) {
    return `${outcome.success ? 'valid' : JSON.stringify(outcome.failure)}, but for Ajv it is ${verdict ? '' : 'in'}valid`;
  }
  if (outcome.success) return outcome.value === value ? undefined : 'another value came back';
  return JSON.stringify(outcome.failure).length < 1000 ? undefined : 'a failure that is too long';
}

/** Whether a failure names a place where Ajv finds no fault. */
function misplacedFailure(
  outcome: Validation<unknown> | Error,
  oracle: ValidateFunction,
  value: JsonValue,
): string | undefined {
  if (outcome instanceof Error || outcome.success) return undefined;
  void oracle(value);
  const { path } = outcome.failure;
  const errors = oracle.errors ?? [];
  return errors.some((error) => placeOf(error.instancePath, error.keyword, error.params) === path)
    ? undefined
    : `${JSON.stringify(outcome.failure)} is not one of Ajv's places`;
}

function placeOf(path: string, keyword: string, params: Record<string, unknown>): string {
  const extra = keyword === 'required' ? params['missingProperty'] : undefined;
  if (typeof extra !== 'string') return path;
  return `${path}/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Ajv that goes on after the first fault, so that all wrong places are known. */
function thoroughOracle(definitions: JsonObject): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({
    validateFormats: false,
    strict: false,
    ownProperties: true,
    allErrors: true,
    code: { optimize: false },
  });
  ajv.addSchema({ $id: 'protocol', $defs: definitions });
  return (name) => {
    const validate = ajv.getSchema(`protocol#/$defs/${encodeURIComponent(name)}`);
    if (validate === undefined) throw new Error(`there is no definition ${name}`);
    return validate as ValidateFunction;
  };
}

function textOf(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 600);
}

function propertiesOf(definition: JsonValue | undefined): JsonObject {
  const properties = isObject(definition) ? definition['properties'] : undefined;
  return isObject(properties) ? properties : {};
}

function nameOf({ name, kind }: Method, part: 'params' | 'message' | 'response'): string {
  return `test ${kind} ${name.replaceAll('/', '.')} ${part}`;
}

/** The definitions, and what JSON-RPC says of the messages of each method, as JSON Schema. */
function withMethods(definitions: JsonObject, methods: readonly Method[]): JsonObject {
  const id = { type: ['string', 'integer'] };
  const jsonrpc = { const: '2.0' };
  const object = { type: 'object' };
  const added: Record<string, JsonValue> = {
    'test request': {
      type: 'object',
      required: ['jsonrpc', 'id', 'method'],
      properties: { jsonrpc, id, method: { type: 'string' }, params: object, result: false, error: false },
    },
    'test notification': {
      type: 'object',
      required: ['jsonrpc', 'method'],
      properties: { jsonrpc, id: false, method: { type: 'string' }, params: object, result: false, error: false },
    },
    'test result response': {
      type: 'object',
      required: ['jsonrpc', 'id', 'result'],
      properties: { jsonrpc, id, result: object, method: false, error: false },
    },
    'test error response': {
      type: 'object',
      required: ['jsonrpc', 'error'],
      properties: {
        jsonrpc,
        id: { type: ['string', 'integer', 'null'] },
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'integer' }, message: { type: 'string' } },
        },
        method: false,
        result: false,
      },
    },
  };
  for (const row of methods) {
    added[nameOf(row, 'params')] = propertiesOf(definitions[row.message])['params'] ?? object;
    added[nameOf(row, 'message')] = {
      allOf: [{ $ref: `#/$defs/test%20${row.kind}` }, { $ref: `#/$defs/${row.message}` }],
    };
    if (row.kind !== 'request') continue;
    const results = row.results.map((name) => ({ $ref: `#/$defs/${name}` }));
    added[nameOf(row, 'response')] = {
      allOf: [
        { $ref: '#/$defs/test%20result%20response' },
        { type: 'object', properties: { result: { anyOf: results } } },
      ],
    };
  }
  return { ...definitions, ...added };
}
