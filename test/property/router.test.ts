import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { match, readParams } from '#src/router/match.js'
import { fillTemplate, parseTemplate } from '#src/router/template.js'
import { oracle } from '#test/router-oracle.js'
import { lookUp, routerOf } from '../router/routes.js'

// Few characters, so that literals share prefixes with each other and with parameter values.
const literal = fc.stringMatching(/^[ab]{1,3}$/)
const name = fc.constantFrom('{x}', '{y}')
const shape = fc.array(fc.oneof({ weight: 3, arbitrary: literal }, { weight: 2, arbitrary: name }), { maxLength: 5 })
const template = fc.tuple(shape, fc.boolean()).map(([segments, isOpen]) => {
  const unique = segments.map((segment, at) => (segment.startsWith('{') ? `{${segment.slice(1, -1)}${at}}` : segment))
  const open = isOpen ? [...unique, '{rest...}'] : unique
  return `/${open.join('/')}`
})
const templates = fc.uniqueArray(template, {
  maxLength: 40,
  selector: (text) => text.replaceAll(/\{\w+\}/g, '{}'),
})
const segment = fc.oneof({ weight: 12, arbitrary: literal }, { weight: 1, arbitrary: fc.constant('') })
const path = fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join('/')}`)
const RUNS = { numRuns: 3_000 }

describe('match()', () => {
  it('finds the same template as a comparison of all segments', () => {
    fc.assert(
      fc.property(templates, fc.array(path, { minLength: 5, maxLength: 20 }), (texts, paths) => {
        const router = routerOf(texts)
        for (const each of paths) assert.equal(match(router, each)?.value, oracle(texts, each), each)
      }),
      RUNS,
    )
  })

  it('does not depend on the order of registration', () => {
    const routes = templates.chain((texts) =>
      fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length })),
    )
    fc.assert(
      fc.property(routes, fc.array(path, { minLength: 5, maxLength: 20 }), ([texts, shuffled], paths) => {
        const [one, other] = [routerOf(texts), routerOf(shuffled)]
        for (const each of paths) assert.deepEqual(lookUp(one, each), lookUp(other, each))
      }),
      RUNS,
    )
  })
})

const value = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text !== '.' && text !== '..')
const wildcardValue = fc.array(
  value.filter((text) => !/[/\\]/.test(text)),
  { minLength: 1, maxLength: 4 },
)

describe('fillTemplate() and readParams()', () => {
  it('returns the original parameters after filling and matching a template', () => {
    const text = '/äpfel/{one}/b/{two}/{rest...}'
    const router = routerOf([text])
    fc.assert(
      fc.property(value, value, wildcardValue, (one, two, rest) => {
        const params = { one, two, rest: rest.join('/') }
        const filled = fillTemplate(parseTemplate(text, 'Test'), params)
        const leaf = match(router, filled)
        assert.ok(leaf)
        assert.deepEqual({ ...readParams(router, leaf, filled) }, params)
      }),
      RUNS,
    )
  })
})
