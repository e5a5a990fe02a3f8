/** Hostile inputs in several sizes: the same shape at 10 kB, 100 kB and 1 MB. */
import fc from 'fast-check'
import type { ProportionSchemas } from './proportion-schemas.js'

/** A JSON body, and the schema that validates it. */
export interface BodyShape {
  readonly name: string
  readonly schema: keyof ProportionSchemas
  /** @param size approximate size of the JSON in bytes */
  readonly valueOf: (size: number) => unknown
}

/** Generated input for a source such as `query`: its keys and values, and the schema that validates it. */
export interface TextShape {
  readonly name: string
  readonly schema: keyof ProportionSchemas
  readonly pairsOf: (size: number) => readonly (readonly [key: string, value: string])[]
}

const list = <Item>(length: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: Math.max(1, Math.round(length)) }, (_, at) => item(at))
const buildRecord = (length: number, value: (at: number) => unknown): object =>
  Object.fromEntries(list(length, (at) => [`k${at}`, value(at)]))

/** Number of levels that the default of `limits.depth` allows. Each level of a tree uses two. */
const LEVELS = 28

function buildTree(size: number, levels: number): object {
  const texts = list(size / 8, () => 'ab"cd')
  let tree: object = { value: 'x', texts, kids: [] }
  for (let level = 1; level < levels; level++) tree = { value: 'x', texts: ['ab"cd'], kids: [tree] }
  return tree
}

/** One long key with many invalid items. A library runs out of stack from about 100,000 items. */
const longKey = (size: number): object => ({ ['k'.repeat(size / 2)]: list(size / 24, () => 'wrong item') })

/** Handwritten shapes. */
export const BODY_SHAPES: readonly BodyShape[] = [
  { name: 'a long key with many invalid items', schema: 'lists', valueOf: longKey },
  { name: 'long keys of slashes', schema: 'numbers', valueOf: (size) => ({ ['/~'.repeat(size / 2)]: 'x' }) },
  { name: 'many invalid properties', schema: 'numbers', valueOf: (size) => buildRecord(size / 12, () => 'x') },
  {
    name: 'a wide object with one declared property',
    schema: 'strict',
    valueOf: (size) => buildRecord(size / 10, () => 1),
  },
  {
    name: 'one unknown property with a long name',
    schema: 'strict',
    valueOf: (size) => ({ ['"'.repeat(size / 2)]: 1 }),
  },
  { name: 'strings below many invalid levels', schema: 'tree', valueOf: (size) => buildTree(size, LEVELS) },
  {
    name: 'items that match no branch of a union',
    schema: 'unions',
    valueOf: (size) => list(size / 30, () => ({ kind: 'a', of: ['x', 'y'] })),
  },
  { name: 'a string instead of an object', schema: 'lists', valueOf: (size) => '"\\'.repeat(size / 6) },
]

/** Handwritten shapes for sources of strings. A path parameter has one value, so only the first two apply to paths. */
export const TEXT_SHAPES: readonly TextShape[] = [
  { name: 'one long key', schema: 'numbers', pairsOf: (size) => [['k'.repeat(size), 'x']] },
  { name: 'one long value', schema: 'numbers', pairsOf: (size) => [['k', 'x'.repeat(size)]] },
  { name: 'many keys', schema: 'numbers', pairsOf: (size) => list(size / 12, (at) => [`k${at}`, 'x']) },
  { name: 'many unknown keys', schema: 'strict', pairsOf: (size) => list(size / 12, (at) => [`k${at}`, '1']) },
  { name: 'one repeated key', schema: 'lists', pairsOf: (size) => list(size / 12, () => ['key', 'x']) },
  {
    name: 'a repeated key for a single value',
    schema: 'strict',
    pairsOf: (size) => list(size / 12, () => ['a', '1']),
  },
  {
    name: 'many keys, each repeated once',
    schema: 'numbers',
    pairsOf: (size) => list(size / 12, (at) => [`k${at >> 1}`, '1']),
  },
]

interface Recipe {
  readonly schema: keyof ProportionSchemas
  readonly letter: string
  readonly keyShare: number
  readonly levels: number
  readonly item: unknown
}

const RECIPES: fc.Arbitrary<Recipe> = fc.record({
  schema: fc.constantFrom('numbers', 'lists', 'strict', 'tree', 'unions'),
  letter: fc.constantFrom('k', '/', '"', '\\', '\u0001', 'é', '😀'),
  keyShare: fc.double({ min: 0, max: 0.9, noNaN: true }),
  levels: fc.integer({ min: 0, max: LEVELS }),
  item: fc.constantFrom<unknown>('x', '"', '\\"', 1, null, {}, { kind: 'a' }, { kids: [{}] }, ['x']),
})

/** Builds a long key with many items, nested in some levels. */
function cook({ letter, keyShare, levels, item }: Recipe, size: number): unknown {
  const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  const key = letter.repeat((size * keyShare) / (bytes(letter) - 2))
  let value: unknown = list((size * (1 - keyShare)) / (bytes(item) + 1), () => item)
  if (key !== '') value = { [key]: value }
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { kids: value, kind: 'a' } : [value]
  return value
}

/** Generates shapes; the same seed generates the same shapes. */
export function generatedShapes(count: number, seed: number): BodyShape[] {
  return fc.sample(RECIPES, { numRuns: count, seed }).map((recipe) => ({
    name: `generated: ${JSON.stringify(recipe)}`,
    schema: recipe.schema,
    valueOf: (size) => cook(recipe, size),
  }))
}
