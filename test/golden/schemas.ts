/** Definitions of protocols, each case aimed at some keywords of JSON Schema. */
import type { Protocol } from '../../generator/index.js';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { createPatternCheck } from '../../generator/read/patterns.js';

interface SchemaCase {
  readonly definitions: JsonObject;
  /** `definitions` for a schema of draft-07. */
  readonly root?: '$defs' | 'definitions';
}

const text = { type: 'string' };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const old = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

export const SCHEMAS: Readonly<Record<string, SchemaCase>> = {
  scalars: {
    definitions: {
      Any: { description: 'Anything at all.' },
      Text: { ...text, description: 'A text.\n\nSecond paragraph with `code` and */ an end.' },
      Limited: { ...text, minLength: 1, maxLength: 3, pattern: '^[a-z/]+$' },
      Formatted: { ...text, format: 'uri', contentEncoding: 'base64', contentMediaType: 'image/png' },
      OddFormat: { ...text, format: 'color' },
      OddFormatAgain: { ...text, format: 'color' },
      Count: { type: 'integer', minimum: 0 },
      Ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 },
      Range: { type: 'number', minimum: -5, maximum: 1e21 },
      Flag: { type: 'boolean', deprecated: true },
      Nothing: { type: 'null' },
      Impossible: { not: {} },
      Several: { type: ['string', 'integer', 'null'], minLength: 2, maximum: 9 },
      Repeated: { type: ['string', 'string'] },
      Unlimited: { type: 'array', uniqueItems: false, minItems: 0 },
      NoType: { minLength: 3 },
      NoTypeTwice: { minimum: 3, maxItems: 2 },
      NoEffect: { format: 'date' },
      Titled: { title: 'A title', examples: ['a'], $comment: 'for people', type: 'string', 'x-own': 1 },
      Unused: { type: 'string', properties: { a: {} }, items: {} },
    },
  },
  constants: {
    definitions: {
      One: { const: 'one' },
      Fraction: { const: 1.5 },
      Negative: { const: -1 },
      Yes: { const: true },
      Null: { const: null },
      Quotes: { const: 'it\'s "x" \\ \n end' },
      Level: { type: 'string', enum: ['debug', 'info', 'error'] },
      Mixed: { enum: ['a', 1, null, true, false] },
      Single: { enum: ['only'] },
      Narrow: { type: 'string', enum: ['a', 1, 'bc'], maxLength: 1 },
      Both: { const: 'a', enum: ['a', 'b'] },
      Contradiction: { const: 'c', enum: ['a', 'b'] },
      WrongType: { type: 'number', const: 'a' },
      List: { const: ['a', [1, null], {}] },
      Empty: { const: [] },
      Complex: { const: { b: 1, a: { c: 'x' } } },
      ComplexList: { enum: [{ kind: 'a' }, { kind: 'b', n: 1 }] },
      Integer: { type: 'integer', enum: [1, 2.5, 3] },
      Referring: { $ref: '#/$defs/Level', const: 'info' },
      Typed: { type: 'object', properties: { a: ref('Level') }, enum: [{ a: 'debug' }] },
      Holder: {
        type: 'object',
        properties: { version: { const: '2.0' }, level: ref('Level'), other: { type: 'boolean', const: true } },
        required: ['version'],
      },
    },
  },
  objects: {
    definitions: {
      Empty: { type: 'object' },
      NoMembers: { type: 'object', properties: {} },
      OpenNoMembers: { type: 'object', properties: {}, additionalProperties: true },
      OpenEmpty: { type: 'object', additionalProperties: true },
      AnyRest: { type: 'object', properties: {}, additionalProperties: {} },
      Closed: { type: 'object', properties: {}, additionalProperties: false },
      ClosedMap: { type: 'object', additionalProperties: false },
      Plain: {
        type: 'object',
        description: 'A plain object.',
        properties: {
          b: { ...text, description: 'The second.', default: 'x' },
          a: { type: 'integer', deprecated: true, default: 3 },
          c: { type: 'array', items: text, default: [] },
        },
        required: ['b'],
      },
      Undeclared: { type: 'object', properties: { a: text }, required: ['z', 'a'] },
      UndeclaredTyped: { type: 'object', required: ['z'], additionalProperties: { type: 'number' } },
      Exact: { type: 'object', properties: { a: text, b: {} }, required: ['a'], additionalProperties: false },
      Open: { type: 'object', properties: { a: text }, additionalProperties: true },
      Numbers: { type: 'object', additionalProperties: { type: 'number' } },
      MembersAndRest: { type: 'object', properties: { a: text }, additionalProperties: { type: 'number' } },
      Count: { type: 'object', properties: { a: {} }, minProperties: 1, maxProperties: 2 },
      CountedMap: { type: 'object', additionalProperties: text, minProperties: 2 },
      OddNames: {
        type: 'object',
        properties: {
          '': text,
          'a b': text,
          '1': text,
          'it\'s "x"\\': text,
          class: text,
          constructor: text,
          'line\nbreak': text,
          ключ: text,
        },
        required: ['a b', 'constructor'],
      },
      Nested: {
        type: 'object',
        properties: {
          inner: { type: 'object', properties: { deep: { type: 'object', properties: { x: text } } } },
          list: { type: 'array', items: { type: 'object', properties: { y: text }, required: ['y'] } },
          map: { type: 'object', additionalProperties: { type: 'array', items: ref('Plain') } },
        },
      },
      Forbidden: { type: 'object', properties: { gone: false, here: true } },
      NoType: { properties: { a: text }, required: ['a'] },
    },
  },
  patterns: {
    definitions: {
      Prefixed: {
        type: 'object',
        properties: { a: text, 'x-a': { minimum: 1 } },
        required: ['a', 'x-b', 'y'],
        patternProperties: { '^x-': { type: 'number' }, b$: { type: 'number', minimum: 3 } },
        additionalProperties: { type: 'boolean' },
      },
      Only: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
      Counted: { type: 'object', patternProperties: { '^x-': { type: 'null' } }, maxProperties: 2 },
      Any: { type: 'object', patternProperties: { '^x-': {} } },
      Tree: { type: 'object', patternProperties: { '^[a-c]': ref('Tree') } },
      NamesByPattern: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
    },
  },
  arrays: {
    definitions: {
      Any: { type: 'array' },
      Texts: { type: 'array', items: text },
      Counted: { type: 'array', items: text, minItems: 1, maxItems: 3, uniqueItems: true },
      Nested: { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'integer' } } } },
      OfUnion: { type: 'array', items: { type: ['string', 'number'] } },
      Pair: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
      AtLeastOne: { type: 'array', prefixItems: [text, {}], items: { type: 'boolean' }, minItems: 1, maxItems: 4 },
      Exactly: { type: 'array', prefixItems: [text, text], items: false, minItems: 2 },
      Four: { type: 'array', prefixItems: [text], minItems: 4, uniqueItems: true },
      Short: { type: 'array', prefixItems: [text, { type: 'null' }, {}], maxItems: 2 },
      Chain: { type: 'array', prefixItems: [text, ref('Chain')], items: false, minItems: 1 },
      NoPrefix: { type: 'array', prefixItems: [], items: text },
      None: { type: 'array', items: false },
      Contains: { type: 'array', contains: { const: 'x' } },
      ContainsMany: { type: 'array', items: text, contains: { minLength: 3 }, minContains: 2, maxContains: 4 },
      ContainsNone: { type: 'array', contains: { const: 'x' }, minContains: 0, maxContains: 0 },
      NoType: { items: text },
    },
  },
  unions: {
    definitions: {
      Circle: {
        type: 'object',
        properties: { kind: { const: 'circle' }, r: { type: 'number' } },
        required: ['kind', 'r'],
      },
      Square: { type: 'object', properties: { kind: { enum: ['square', 4] }, side: {} }, required: ['kind'] },
      Group: {
        type: 'object',
        properties: { kind: { const: 'group' }, of: { type: 'array', items: ref('Shape') } },
        required: ['kind', 'of'],
      },
      Shape: { anyOf: [ref('Circle'), ref('Square'), ref('Group')], description: 'A shape.' },
      ExactlyOne: { oneOf: [ref('Circle'), ref('Square')] },
      Overlapping: { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }, text] },
      Loose: { anyOf: [ref('Circle'), { type: 'object', properties: { kind: { const: 'x' } } }] },
      Twice: {
        anyOf: [
          ref('Circle'),
          { type: 'object', properties: { kind: { const: 'circle' }, r: {} }, required: ['kind'] },
        ],
      },
      TwoKeys: {
        anyOf: [
          { type: 'object', properties: { a: { const: 1 }, b: { const: 'x' } }, required: ['a', 'b'] },
          { type: 'object', properties: { a: { const: 1 }, b: { const: 'y' } }, required: ['a', 'b'] },
          { type: 'object', properties: { a: { const: 2 }, b: { const: 'y' } }, required: ['a', 'b'] },
        ],
      },
      NullTag: {
        anyOf: [
          { type: 'object', properties: { t: { type: 'null' }, n: text }, required: ['t'] },
          { type: 'object', properties: { t: { const: true } }, required: ['t'] },
          { type: 'object', properties: { t: { const: 'true' } }, required: ['t'] },
        ],
      },
      Maybe: { anyOf: [ref('Circle'), { type: 'null' }] },
      Kinds: {
        anyOf: [text, { type: 'array', items: text }, { type: 'object', properties: { a: text } }, { type: 'boolean' }],
      },
      One: { anyOf: [ref('Circle')] },
      WithAny: { anyOf: [text, {}] },
      WithNever: { anyOf: [text, false] },
      Never: { anyOf: [false, { not: {} }] },
      Nested: { anyOf: [{ anyOf: [text, { type: 'null' }] }, { oneOf: [{ type: 'integer' }, { type: 'boolean' }] }] },
      Lists: {
        anyOf: [
          { type: 'array', items: text },
          { type: 'array', items: { type: 'number' } },
        ],
      },
      Both: { anyOf: [text, { type: 'number' }], oneOf: [{ minLength: 2 }, { type: 'number' }] },
      Optional: {
        type: 'object',
        properties: { shape: ref('Shape'), shapes: { type: 'array', items: ref('ExactlyOne') } },
      },
      Declared: {
        oneOf: [ref('Circle'), ref('Square'), ref('Group')],
        discriminator: { propertyName: 'kind', mapping: { circle: '#/$defs/Circle', round: '#/$defs/Gone' } },
      },
      DeclaredWrong: { oneOf: [ref('Circle'), ref('Square')], discriminator: { propertyName: 'type' } },
    },
  },
  combined: {
    definitions: {
      Base: { type: 'object', properties: { id: text, meta: { type: 'object' } }, required: ['id'] },
      Named: { type: 'object', properties: { name: text } },
      Both: { allOf: [ref('Base'), ref('Named')], description: 'Both of them.' },
      Extended: {
        allOf: [ref('Base'), { type: 'object', properties: { extra: { type: 'integer' } }, required: ['extra'] }],
      },
      Siblings: { ...ref('Base'), type: 'object', properties: { more: text }, required: ['more'] },
      Narrowed: { ...ref('Base'), properties: { id: { const: 'x' } } },
      RequiredOnly: { ...ref('Named'), required: ['name'] },
      ClosedParts: {
        allOf: [
          { type: 'object', properties: { a: {} }, additionalProperties: false },
          { type: 'object', properties: { a: text, b: {} }, additionalProperties: false },
        ],
      },
      Unsatisfiable: { allOf: [text, { type: 'number' }] },
      Limited: { allOf: [{ type: 'string', minLength: 2 }, { maxLength: 3 }] },
      OneOfThem: { allOf: [ref('Base')] },
      AnyAndText: { allOf: [{}, text] },
      AllAny: { allOf: [{}, {}] },
      UnionWithBase: {
        type: 'object',
        properties: { common: text },
        required: ['common'],
        anyOf: [
          { properties: { kind: { const: 'a' }, a: text }, required: ['kind'] },
          { properties: { kind: { const: 'b' }, b: text }, required: ['kind'] },
        ],
      },
      Deep: { allOf: [{ allOf: [ref('Base'), { properties: { x: text } }] }, { properties: { y: text } }] },
      Described: { allOf: [{ ...ref('Base') }], title: 'Other' },
      Params: { type: 'object', properties: { _meta: { type: 'object', properties: { token: text } } } },
      WithMeta: {
        allOf: [ref('Params'), { type: 'object', properties: { _meta: { type: 'object' }, q: text }, required: ['q'] }],
      },
    },
  },
  messages: {
    definitions: {
      Request: {
        type: 'object',
        properties: {
          jsonrpc: { const: '2.0' },
          id: { type: ['string', 'integer'] },
          method: text,
          params: { type: 'object' },
        },
        required: ['jsonrpc', 'id', 'method'],
      },
      Open: {
        allOf: [
          ref('Request'),
          {
            type: 'object',
            properties: {
              method: { const: 'open' },
              params: { type: 'object', properties: { path: text }, required: ['path'] },
            },
            required: ['params'],
          },
        ],
      },
      Close: {
        allOf: [
          ref('Request'),
          { properties: { method: { const: 'close' } } },
          { properties: { params: ref('CloseParams') } },
        ],
      },
      CloseParams: { type: 'object', properties: { force: { type: 'boolean' } } },
      Closed: {
        allOf: [ref('Request'), { properties: { method: { const: 'closed' } }, additionalProperties: false }],
      },
      Counted: {
        allOf: [ref('Request'), { type: 'object', properties: { method: { const: 'counted' } }, minProperties: 2 }],
      },
      WithUnion: {
        allOf: [
          ref('Request'),
          { type: 'object', properties: { method: { const: 'either' } } },
          {
            anyOf: [
              { type: 'object', properties: { id: text } },
              { type: 'object', properties: { id: { type: 'integer' } } },
            ],
          },
        ],
      },
      Wider: {
        allOf: [
          {
            type: 'object',
            properties: { method: { const: 'wider' }, params: { type: 'object', properties: { a: text } } },
            required: ['method'],
            additionalProperties: {},
          },
          {
            type: 'object',
            properties: { method: text, params: { type: 'object' }, id: { type: 'string', minLength: 1 } },
          },
          { type: 'object', properties: { id: { const: 'x' }, extra: { type: 'integer' } }, required: ['extra'] },
        ],
      },
      Same: {
        allOf: [
          {
            type: 'object',
            properties: { method: { const: 'same' }, n: { type: 'number', minimum: 1 }, p: ref('CloseParams') },
          },
          {
            type: 'object',
            properties: { n: { type: 'number', minimum: 1 }, p: { type: 'object', maxProperties: 1 } },
          },
          { type: 'object', properties: { p: { type: 'object' } }, additionalProperties: true },
        ],
      },
      OpenRest: {
        allOf: [
          { type: 'object', properties: { method: { const: 'rest' } }, additionalProperties: true },
          {
            type: 'object',
            properties: { q: { type: 'object', patternProperties: { '^x': text } } },
            additionalProperties: true,
          },
          { type: 'object', properties: { q: ref('CloseParams') }, additionalProperties: true },
        ],
      },
      AnyOnly: { allOf: [{ type: 'object' }, { properties: { method: { const: 'any' } } }, {}] },
      NotAMessage: { allOf: [{ properties: { method: text } }, { properties: { a: text } }] },
    },
  },
  rules: {
    definitions: {
      NotText: { not: text },
      NotConstant: { type: 'string', not: { enum: ['a', 'b'] } },
      NotNumber: { type: ['string', 'number', 'null'], not: { type: 'number' } },
      NotLimited: { type: 'string', not: { minLength: 3 } },
      NotMember: { type: 'object', properties: { a: text, b: text }, not: { required: ['b'] } },
      NotBoolean: { type: 'boolean', not: { const: true } },
      If: {
        type: 'object',
        properties: { kind: { enum: ['a', 'b'] }, a: text, b: text },
        required: ['kind'],
        if: { properties: { kind: { const: 'a' } } },
        then: { required: ['a'] },
        else: { required: ['b'] },
      },
      IfOnly: { type: 'string', if: { minLength: 3 } },
      Then: { type: 'string', if: { minLength: 3 }, then: { pattern: 'x$' } },
      Else: { if: { type: 'string' }, else: { type: 'number' } },
      IfTrue: { if: true, then: text, else: { type: 'number' } },
      IfFalse: { if: false, then: text, else: { type: 'number' } },
      ThenFalse: { type: ['string', 'number'], if: { type: 'string' }, then: false },
      Names: { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'number' } },
      NoNames: { type: 'object', propertyNames: false },
      AnyNames: { type: 'object', propertyNames: text },
      DependentNames: { type: 'object', properties: { a: text, b: text }, dependentRequired: { a: ['b', 'c'], x: [] } },
      DependentSchema: {
        type: 'object',
        properties: { card: text, address: text },
        dependentSchemas: { card: { required: ['address'], properties: { address: { minLength: 2 } } }, gone: false },
      },
      Unevaluated: { type: 'object', properties: { a: text }, unevaluatedProperties: false },
      UnevaluatedTyped: { type: 'object', unevaluatedProperties: { type: 'number' } },
      UnevaluatedAcross: {
        type: 'object',
        allOf: [{ properties: { a: text } }],
        anyOf: [{ properties: { b: text }, required: ['b'] }, { patternProperties: { '^c': {} } }],
        unevaluatedProperties: false,
      },
      UnevaluatedItems: { type: 'array', prefixItems: [text], unevaluatedItems: false },
      UnevaluatedContains: { type: 'array', contains: text, unevaluatedItems: { type: 'number' } },
    },
  },
  recursion: {
    definitions: {
      Tree: {
        type: 'object',
        properties: { value: text, children: { type: 'array', items: ref('Tree') } },
        required: ['value'],
      },
      Json: {
        anyOf: [
          { type: ['string', 'number', 'boolean', 'null'] },
          { type: 'array', items: ref('Json') },
          { type: 'object', additionalProperties: ref('Json') },
        ],
      },
      Odd: { type: 'object', properties: { even: ref('Even'), n: { const: 1 } }, required: ['n'] },
      Even: { anyOf: [ref('Odd'), { type: 'object', properties: { n: { const: 2 } }, required: ['n'] }] },
      Endless: { type: 'object', properties: { next: ref('Endless') }, required: ['next'] },
      Alias: ref('Tree'),
      AliasOfAlias: ref('Alias'),
      Dictionary: { type: 'object', additionalProperties: ref('Dictionary') },
      Expression: {
        oneOf: [
          { type: 'object', properties: { op: { const: 'not' }, of: ref('Expression') }, required: ['op', 'of'] },
          {
            type: 'object',
            properties: { op: { const: 'and' }, all: { type: 'array', items: ref('Expression') } },
            required: ['op', 'all'],
          },
        ],
      },
    },
  },
  names: {
    definitions: {
      'kebab-case': text,
      'with space': { type: 'object', properties: { a: ref('kebab-case') } },
      snake_case: { type: 'array', items: ref('with space') },
      lower: text,
      List: { type: 'object', properties: { a: text } },
      'x-2fast': text,
      A: { anyOf: [ref('lower'), ref('List')] },
      ünïcode: text,
      'a/b~c': { $ref: '#/$defs/lower' },
    },
  },
  'draft-07': {
    root: 'definitions',
    definitions: {
      Base: { type: 'object', properties: { a: text }, required: ['a'] },
      Ignored: { ...old('Base'), properties: { b: text } },
      Tuple: { type: 'array', items: [text, { type: 'integer' }], additionalItems: false },
      OpenTuple: { type: 'array', items: [text] },
      TypedTuple: { type: 'array', items: [text], additionalItems: { type: 'boolean' } },
      NotATuple: { type: 'array', prefixItems: [text], items: { type: 'integer' } },
      Dependencies: {
        type: 'object',
        properties: { a: text, b: text, c: text },
        dependencies: { a: ['b'], c: { required: ['b'] } },
      },
      Contains: { type: 'array', contains: text, minContains: 3 },
      Exclusive: { type: 'number', exclusiveMinimum: 0 },
      Condition: { if: { required: ['a'] }, then: { required: ['b'] }, type: 'object' },
      All: { allOf: [old('Base'), { properties: { x: { type: 'null' } } }] },
      Unevaluated: { type: 'object', properties: { a: text }, unevaluatedProperties: false },
    },
  },
};

/** A protocol of nothing but definitions. */
export function protocolOf(definitions: JsonObject, root: '$defs' | 'definitions'): Protocol {
  const dialect = root === '$defs' ? '2020-12' : 'draft-07';
  const canonical = JSON.parse(JSON.stringify(definitions).replaceAll('#/definitions/', '#/$defs/')) as JsonObject;
  return {
    name: 'Golden',
    revision: '1',
    version: '1',
    isDraft: false,
    source: { file: 'schema.json', sha256: '', builtin: false, corrected: false },
    lifecycle: undefined,
    batches: false,
    traits: {},
    methods: [],
    errors: [],
    extensions: [],
    formerNames: [],
    errata: [],
    ...parseDefinitions(canonical, NO_DOCS, 'schema.json', { root, dialect, checkPattern: createPatternCheck() }),
  };
}
