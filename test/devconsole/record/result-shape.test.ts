import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultShape } from '#src/devconsole/record/result-shape.js'

class User {
  readonly id = 7
  get name(): string {
    throw new Error('A getter ran')
  }
}

describe('resultShape()', () => {
  const manyKeys = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, index]))
  const cases: readonly (readonly [name: string, result: unknown, shape: string])[] = [
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a string without its value', 'secret', 'string'],
    ['a number without its value', 7, 'number'],
    ['a function', () => 7, 'function'],
    ['an empty array', [], '[]'],
    ['rows by the first one', [{ id: 1, title: 'a' }, { id: 2 }], '2 × { id, title }'],
    ['an array of arrays', [[1], [2]], '2 × array'],
    ['an array with holes', Object.assign([], { length: 3 }), '3 × undefined'],
    ['an object with rows', { rows: [1, 2], rowCount: 2 }, '{ rows: 2 ×, rowCount }'],
    ['an empty object', {}, '{}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{ a }'],
    ['an object of a class, without calling getters', new User(), 'User { id }'],
    ['an object with many members', manyKeys, '{ k0, k1, k2, k3, k4, k5, k6, k7, … }'],
    ['a long name', { ['x'.repeat(50)]: 1 }, `{ ${'x'.repeat(30)} }`],
    ['a map', new Map([[1, 2]]), 'Map of 1'],
    ['a set', new Set([1, 2]), 'Set of 2'],
    ['bytes', new Uint8Array(12), 'Uint8Array of 12'],
    ['a proxy, without running its traps', new Proxy({}, { ownKeys: () => assert.fail() }), 'object'],
    ['an object with a proxy as prototype', Object.create(new Proxy({}, {})), '{}'],
    ['a class without a name', new (class {})(), '{}'],
    [
      'a class with a name of another type',
      new (class {
        static readonly name = 7
      })(),
      '{}',
    ],
    ['an object whose constructor is no function', Object.create({ constructor: 7 }), '{}'],
  ]
  for (const [name, result, shape] of cases) {
    it(`describes ${name}`, () => assert.equal(resultShape(result), shape))
  }
})
