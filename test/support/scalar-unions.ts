/** Schemas of three vendors for values that arrive as strings, mostly unions of strings with numbers or booleans. */
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { objectsWith, type KindRow, type Members } from '#test/vendor-kinds.js'

/** Expected result of a string that the schema does not accept. */
export const INVALID: unique symbol = Symbol('invalid')

export interface UnionRow {
  readonly title: string
  /** By vendor name: the schema of the member, and the schema of an object with the member `k`. */
  readonly schemas: KindRow['schemas']
  /** Sent strings, with the value that the schema returns. */
  readonly cases: readonly (readonly [sent: string, value: unknown])[]
}

function row(title: string, members: Members, ...cases: UnionRow['cases']): UnionRow {
  return { title, schemas: objectsWith('k', members), cases }
}

const UUID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'
const vInt = v.pipe(v.number(), v.integer())
const all = z.literal('all')
const vAll = v.literal('all')

/** Literal strings beside numbers or booleans. */
const LITERALS: readonly UnionRow[] = [
  row(
    'an integer or "all"',
    [z.union([z.int(), all]), v.union([vInt, vAll]), "number.integer | 'all'"],
    ...([
      ['5', 5],
      ['-5', -5],
      ['all', 'all'],
      ['ALL', INVALID],
      ['1.5', INVALID],
      ['true', INVALID],
    ] as const),
  ),
  row(
    'a number or "all"',
    [z.union([z.number(), all]), v.union([v.number(), vAll]), "number | 'all'"],
    ['5.5', 5.5],
    ['1e3', 1000],
    ['all', 'all'],
    ['0x10', INVALID],
  ),
  row(
    '"all" before a number',
    [z.union([all, z.number()]), v.union([vAll, v.number()]), "'all' | number"],
    ['5', 5],
    ['all', 'all'],
  ),
  row(
    'a boolean or "auto"',
    [z.union([z.boolean(), z.literal('auto')]), v.union([v.boolean(), v.literal('auto')]), type("boolean | 'auto'")],
    ['true', true],
    ['false', false],
    ['auto', 'auto'],
    ['yes', INVALID],
  ),
  row(
    'numbers and a string in one enumeration',
    [z.literal([10, 20, 'all']), v.union([v.literal(10), v.literal(20), vAll]), type.enumerated(10, 20, 'all')],
    ['10', 10],
    ['20', 20],
    ['all', 'all'],
    ['30', INVALID],
  ),
  row(
    'one number or one string',
    [z.union([z.literal(10), all]), v.union([v.literal(10), vAll]), "10 | 'all'"],
    ['10', 10],
    ['all', 'all'],
    ['11', INVALID],
  ),
  row(
    'a number and its string',
    [z.literal([10, '10']), v.union([v.literal(10), v.literal('10')]), "10 | '10'"],
    ['10', '10'],
    ['11', INVALID],
  ),
  row(
    'numbers, and the string of one number',
    [z.union([z.int(), z.literal('10')]), v.union([vInt, v.literal('10')]), "number.integer | '10'"],
    ['10', '10'],
    ['11', 11],
  ),
  row(
    'a boolean and one of its strings',
    [z.union([z.boolean(), z.literal('true')]), v.union([v.boolean(), v.literal('true')]), "boolean | 'true'"],
    ['true', 'true'],
    ['false', false],
  ),
  row(
    'a number or the string of a boolean',
    [z.union([z.number(), z.literal('true')]), v.union([v.number(), v.literal('true')]), "number | 'true'"],
    ['true', 'true'],
    ['1', 1],
    ['false', INVALID],
  ),
  row(
    'a number or the names of special numbers',
    [
      z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]),
      v.union([v.number(), v.picklist(['NaN', 'Infinity', '-Infinity'])]),
      "number | 'NaN' | 'Infinity' | '-Infinity'",
    ],
    ['-1.5', -1.5],
    ['NaN', 'NaN'],
    ['-Infinity', '-Infinity'],
  ),
  row(
    'a positive integer or "me"',
    [
      z.union([z.int().min(1), z.literal('me')]),
      v.union([v.pipe(vInt, v.minValue(1)), v.literal('me')]),
      "number.integer >= 1 | 'me'",
    ],
    ['1', 1],
    ['me', 'me'],
    ['0', INVALID],
  ),
  row(
    'a fraction or "auto"',
    [
      z.union([z.number().min(0).max(1), z.literal('auto')]),
      v.union([v.pipe(v.number(), v.minValue(0), v.maxValue(1)), v.literal('auto')]),
      type('0 <= number <= 1').or("'auto'"),
    ],
    ['0.5', 0.5],
    ['auto', 'auto'],
    ['2', INVALID],
  ),
  row(
    'a boolean, a number or a literal',
    [
      z.union([z.boolean(), z.number(), z.literal('x')]),
      v.union([v.boolean(), v.number(), v.literal('x')]),
      "boolean | number | 'x'",
    ],
    ['true', true],
    ['1', 1],
    ['x', 'x'],
    ['y', INVALID],
  ),
  row(
    'an integer or one of several names',
    [
      z.union([z.int(), z.enum(['A', 'B', 'C'])]),
      v.union([vInt, v.picklist(['A', 'B', 'C'])]),
      "number.integer | 'A' | 'B' | 'C'",
    ],
    ['7', 7],
    ['C', 'C'],
    ['c', INVALID],
  ),
  row(
    'a negative number or "none"',
    [z.union([z.literal(-1), z.literal('none')]), v.union([v.literal(-1), v.literal('none')]), "-1 | 'none'"],
    ['-1', -1],
    ['none', 'none'],
    ['1', INVALID],
  ),
  row(
    'one boolean or a string',
    [z.union([z.literal(false), z.literal('x')]), v.union([v.literal(false), v.literal('x')]), "false | 'x'"],
    ['false', false],
    ['x', 'x'],
    ['true', INVALID],
  ),
  row(
    'an integer, "all" or null',
    [z.union([z.int(), all]).nullable(), v.nullable(v.union([vInt, vAll])), "number.integer | 'all' | null"],
    ['5', 5],
    ['all', 'all'],
    ['null', INVALID],
  ),
  row(
    'a union in a union',
    [
      z.union([z.union([z.int(), z.literal('a')]), z.literal('b')]),
      v.union([v.union([vInt, v.literal('a')]), v.literal('b')]),
      type("number.integer | 'a'").or("'b'"),
    ],
    ['5', 5],
    ['a', 'a'],
    ['b', 'b'],
    ['c', INVALID],
  ),
  row(
    'an intersection of two unions',
    [
      z.union([z.int(), all]).and(z.union([z.int(), z.literal('none')])),
      v.intersect([v.union([vInt, vAll]), v.union([vInt, v.literal('none')])]),
      type("number.integer | 'all'").and("number.integer | 'none'"),
    ],
    ['5', 5],
    ['all', INVALID],
    ['none', INVALID],
  ),
  row(
    'an optional union',
    [z.union([z.int(), all]).optional(), v.optional(v.union([vInt, vAll])), "number.integer | 'all' | undefined"],
    ['5', 5],
    ['all', 'all'],
  ),
  row(
    'a union with a default',
    [
      z.union([z.int(), all]).default('all'),
      v.optional(v.union([vInt, vAll]), 'all'),
      "number.integer | 'all' = 'all'",
    ],
    ['5', 5],
    ['all', 'all'],
  ),
]

/** Strings with conditions beside numbers or booleans. */
const CONDITIONS: readonly UnionRow[] = [
  row(
    'an integer or a UUID',
    [z.union([z.int(), z.uuid()]), v.union([vInt, v.pipe(v.string(), v.uuid())]), 'number.integer | string.uuid'],
    ['5', 5],
    [UUID, UUID],
    ['x', INVALID],
    ['true', INVALID],
  ),
  row(
    'an integer, "all" or a UUID',
    [
      z.union([z.int(), all, z.uuid()]),
      v.union([vInt, vAll, v.pipe(v.string(), v.uuid())]),
      "number.integer | 'all' | string.uuid",
    ],
    ['5', 5],
    ['all', 'all'],
    [UUID, UUID],
  ),
  row(
    'a boolean or an email',
    [
      z.union([z.boolean(), z.email()]),
      v.union([v.boolean(), v.pipe(v.string(), v.email())]),
      'boolean | string.email',
    ],
    ['true', true],
    ['a@example.com', 'a@example.com'],
    ['1', INVALID],
  ),
  row(
    'a boolean, an integer or a UUID',
    [
      z.union([z.boolean(), z.int(), z.uuid()]),
      v.union([v.boolean(), vInt, v.pipe(v.string(), v.uuid())]),
      'boolean | number.integer | string.uuid',
    ],
    ['false', false],
    ['5', 5],
    [UUID, UUID],
  ),
  row(
    'a number or lower-case letters',
    [
      z.union([z.number(), z.string().regex(/^[a-z]+$/)]),
      v.union([v.number(), v.pipe(v.string(), v.regex(/^[a-z]+$/))]),
      'number | /^[a-z]+$/',
    ],
    ['5.5', 5.5],
    ['abc', 'abc'],
    ['ABC', INVALID],
  ),
  row(
    'an integer or at least three characters',
    [
      z.union([z.int(), z.string().min(3)]),
      v.union([vInt, v.pipe(v.string(), v.minLength(3))]),
      'number.integer | string >= 3',
    ],
    ['12', 12],
    ['123', '123'],
    ['ab', INVALID],
  ),
  row(
    'an integer or at most two characters',
    [
      z.union([z.int(), z.string().max(2)]),
      v.union([vInt, v.pipe(v.string(), v.maxLength(2))]),
      'number.integer | string <= 2',
    ],
    ['123', 123],
    ['12', '12'],
    ['abc', INVALID],
  ),
  row(
    'a number or an IPv4 address',
    [z.union([z.number(), z.ipv4()]), v.union([v.number(), v.pipe(v.string(), v.ipv4())]), 'number | string.ip.v4'],
    ['10', 10],
    ['127.0.0.1', '127.0.0.1'],
  ),
  row(
    'a number or a URL',
    [z.union([z.number(), z.url()]), v.union([v.number(), v.pipe(v.string(), v.url())]), 'number | string.url'],
    ['10', 10],
    ['https://example.com/', 'https://example.com/'],
    ['x', INVALID],
  ),
]

/** Schemas whose strings were always converted correctly. */
const UNCHANGED: readonly UnionRow[] = [
  row(
    'an integer or a string',
    [z.union([z.int(), z.string()]), v.union([vInt, v.string()]), 'number.integer | string'],
    ['5', '5'],
    ['x', 'x'],
  ),
  row(
    'a boolean or a string',
    [z.union([z.boolean(), z.string()]), v.union([v.boolean(), v.string()]), 'boolean | string'],
    ['true', 'true'],
  ),
  row('two strings', [z.enum(['a', 'b']), v.picklist(['a', 'b']), "'a' | 'b'"], ['a', 'a'], ['5', INVALID]),
  row('strings of numbers', [z.enum(['1', '2']), v.picklist(['1', '2']), "'1' | '2'"], ['1', '1'], ['3', INVALID]),
  row('a string', [z.string(), v.string(), 'string'], ['5', '5'], ['true', 'true']),
  row('an integer', [z.int(), vInt, 'number.integer'], ['5', 5], ['1.5', INVALID], ['x', INVALID]),
  row('a number', [z.number(), v.number(), 'number'], ['1.5', 1.5], ['true', INVALID]),
  row('a boolean', [z.boolean(), v.boolean(), 'boolean'], ['true', true], ['1', INVALID]),
  row('one number', [z.literal(5), v.literal(5), '5'], ['5', 5], ['6', INVALID]),
  row(
    'a number or null',
    [z.number().nullable(), v.nullable(v.number()), 'number | null'],
    ['5', 5],
    ['null', INVALID],
  ),
]

/** Forty schemas of each vendor. */
export const UNION_ROWS: readonly UnionRow[] = [...LITERALS, ...CONDITIONS, ...UNCHANGED]
