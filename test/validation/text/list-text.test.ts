import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import type { Schema } from '#src/validation/schema.js'
import type { RawText } from '#src/validation/text/convert-text.js'
import type { TextPlace } from '#src/validation/text/list-text.js'
import { textSource } from '#src/validation/text/string-source.js'
import { readIssues } from '#test/issues.js'

function read(schema: Schema, place: TextPlace, raw: RawText): unknown {
  const outcome = textSource(schema, {}, place).read(raw)
  assert.ok(!(outcome instanceof Promise))
  return readIssues(outcome) ?? { ...Object(outcome.value) }
}

const lists = z.object({ tag: z.array(z.string()).optional(), ids: z.array(z.int()).optional() })

describe('textSource().lists', () => {
  const listsOf = (schema: Schema, place: TextPlace): readonly string[] => textSource(schema, {}, place).lists

  it('has the keys of params, headers and cookies that accept only lists', () => {
    const schema = z.object({
      list: z.array(z.string()).nullable().optional(),
      tuple: z.tuple([z.string(), z.int()]),
      either: z.union([z.string(), z.array(z.string())]),
      number: z.union([z.int(), z.array(z.int())]),
      all: z.union([z.literal('all'), z.array(z.int())]),
      text: z.string(),
      any: z.unknown(),
    })
    for (const place of ['params', 'headers', 'cookies'] as const) {
      assert.deepEqual(listsOf(schema, place), ['list', 'tuple'])
    }
    for (const place of ['query', 'fields', 'environment'] as const) assert.deepEqual(listsOf(schema, place), [])
  })

  it('has no key whose schema parses a string', () => {
    const parsed = z.preprocess((value) => String(value).split(';'), z.array(z.string()))
    assert.deepEqual(listsOf(z.object({ k: parsed }), 'headers'), [])
    assert.deepEqual(read(z.object({ k: parsed }), 'headers', { k: 'a,b;c' }), { k: ['a,b', 'c'] })
  })
})

describe('textSource().read() of lists in headers', () => {
  it('ignores missing headers and headers with one value', () => {
    const schema = lists.extend({ text: z.string() })
    assert.deepEqual(read(schema, 'headers', { text: 'a,b', tag: undefined }), { text: 'a,b' })
  })
})

describe('textSource().read() of tag[] in queries and forms', () => {
  for (const place of ['query', 'fields'] as const) {
    it(`reads tag[] as tag: ${place}`, () => {
      assert.deepEqual(read(lists, place, { 'tag[]': ['a', 'b'], 'ids[]': '1' }), { tag: ['a', 'b'], ids: [1] })
    })

    it(`rejects tag[] beside tag: ${place}`, () => {
      const message = 'Expected only one of the spellings tag and tag[]'
      assert.deepEqual(read(lists, place, { 'tag[]': 'a', tag: 'b', ids: 'x' }), [
        { pointer: '/tag', message },
        { pointer: '/ids/0', message: 'Invalid input: expected number, received string' },
      ])
    })
  }

  it('ignores brackets in other places, or if the schema describes them', () => {
    const strict = z.strictObject({ tag: z.array(z.string()).optional() })
    assert.deepEqual(read(strict, 'environment', { 'tag[]': 'a' }), {})
    const both = z.object({ tag: z.array(z.string()).optional(), 'tag[]': z.array(z.string()) })
    assert.deepEqual(read(both, 'query', { 'tag[]': 'a' }), { 'tag[]': ['a'] })
  })

  it('ignores brackets after a key with one value', () => {
    const schema = z.looseObject({ text: z.string().optional() })
    assert.deepEqual(read(schema, 'query', { 'text[]': 'a', 'any[]': 'b' }), { 'text[]': 'a', 'any[]': 'b' })
  })

  it('accepts only one pair of brackets', () => {
    assert.deepEqual(read(lists, 'query', { 'tag[][]': 'a', 'tag[0]': 'b' }), {})
  })

  it('accepts brackets after a key with one value or several', () => {
    const schema = z.object({ k: z.union([z.int(), z.array(z.int())]) })
    assert.deepEqual(read(schema, 'query', { 'k[]': ['1', '2'] }), { k: [1, 2] })
  })
})
