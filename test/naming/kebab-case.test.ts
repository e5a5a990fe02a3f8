import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kebabCase, type KebabCase } from '#src/naming/kebab-case.js'

describe('kebabCase()', () => {
  it('joins the words of a name in lower case', () => {
    assert.equal(kebabCase('UserProfiles'), 'user-profiles')
  })

  it('gives nothing for a name without words', () => {
    assert.equal(kebabCase('_'), '')
  })

  it('lower-cases letters beyond the basic plane', () => {
    assert.equal(kebabCase('\u{10400}bc'), '\u{10428}bc')
  })
})

describe('KebabCase', () => {
  it('is string for a name that is not a literal', () => {
    const any: KebabCase<string> = 'anything'
    assert.equal(any, 'anything')
  })

  it('distributes over a union of names', () => {
    const names: KebabCase<'UserById' | 'Home'>[] = ['user-by-id', 'home']
    // @ts-expect-error - neither of the two names
    names.push('user')
    assert.equal(names.length, 3)
  })

  it('takes long names', () => {
    type Ten = 'AbcdefghiJ'
    type Name = `${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}`
    const isRight: KebabCase<Name> extends `abcdefghi-j-abcdefghi-j-${string}` ? true : false = true
    assert.equal(isRight, true)
  })
})
