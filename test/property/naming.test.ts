import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { kebabCase, splitWords } from '#src/naming/kebab-case.js'

const identifier = fc.stringMatching(/^[\p{L}_$][\p{L}\p{Nd}_$]{0,20}$/u)
const ascii = fc.stringMatching(/^[A-Za-z_$][A-Za-z0-9_$]{0,20}$/)
const word = fc.stringMatching(/^[A-Z][a-z][a-z0-9]{0,8}$/)
const RUNS = { numRuns: 2_000 }

describe('kebabCase()', () => {
  it('returns lowercase', () => {
    fc.assert(
      fc.property(identifier, (name) => assert.equal(kebabCase(name), kebabCase(name).toLowerCase())),
      RUNS,
    )
  })

  it('puts hyphens only between words', () => {
    fc.assert(
      fc.property(identifier, (name) => assert.doesNotMatch(kebabCase(name), /^-|--|-$|[_$]/)),
      RUNS,
    )
  })

  it('keeps every letter and digit in order', () => {
    fc.assert(
      fc.property(ascii, (name) =>
        assert.equal(kebabCase(name).replaceAll('-', ''), name.replaceAll(/[_$]/g, '').toLowerCase()),
      ),
      RUNS,
    )
  })

  it('does not change its own result', () => {
    fc.assert(
      fc.property(identifier, (name) => assert.equal(kebabCase(kebabCase(name)), kebabCase(name))),
      RUNS,
    )
  })

  it('joins capitalized words with hyphens', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) =>
        assert.equal(kebabCase(words.join('')), words.join('-').toLowerCase()),
      ),
      RUNS,
    )
  })

  it('is reversed by capitalizing each word, if words have at least two letters', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const kebab = words.join('-').toLowerCase()
        const pascal = kebab.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
        assert.equal(kebabCase(pascal), kebab)
      }),
      RUNS,
    )
  })
})

describe('splitWords()', () => {
  it('returns words that join to the name without its separators', () => {
    fc.assert(
      fc.property(identifier, (name) => assert.equal(splitWords(name).join(''), name.replaceAll(/[_$]/g, ''))),
      RUNS,
    )
  })

  it('treats any separator between two names as a boundary', () => {
    fc.assert(
      fc.property(ascii, ascii, fc.constantFrom('_', '$', '__', '_$'), (one, other, separator) =>
        assert.deepEqual(splitWords(one + separator + other), [...splitWords(one), ...splitWords(other)]),
      ),
      RUNS,
    )
  })
})
