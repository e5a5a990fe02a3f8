import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kebabCase, type KebabCase, splitWords, classPath } from '#src/naming/kebab-case.js'
import { SetupError } from '#src/errors/setup-error.js'

describe('kebabCase()', () => {
  it('joins the words of a name in lower case', () => {
    assert.equal(kebabCase('UserProfiles'), 'user-profiles')
  })

  it('returns an empty string for a name without words', () => {
    assert.equal(kebabCase('_'), '')
  })

  it('converts letters outside the basic plane to lower case', () => {
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

  it('supports names of 100 letters', () => {
    type Ten = 'AbcdefghiJ'
    type Name = `${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}`
    const isRight: KebabCase<Name> extends `abcdefghi-j-abcdefghi-j-${string}` ? true : false = true
    assert.equal(isRight, true)
  })
})

describe('splitWords()', () => {
  it('starts a word at each capital', () => {
    assert.deepEqual(splitWords('UserProfiles'), ['User', 'Profiles'])
  })

  it('treats consecutive capitals as one word, except the last one before a small letter', () => {
    assert.deepEqual(splitWords('APIStatus'), ['API', 'Status'])
    assert.deepEqual(splitWords('StatusAPI'), ['Status', 'API'])
  })

  it('adds digits to the word before them', () => {
    assert.deepEqual(splitWords('OAuth2Tokens'), ['O', 'Auth2', 'Tokens'])
  })

  it('removes all separators', () => {
    assert.deepEqual(splitWords('__user_$profile$'), ['user', 'profile'])
  })

  it('returns an empty array for separators and an empty string', () => {
    assert.deepEqual(splitWords('_$'), [])
    assert.deepEqual(splitWords(''), [])
  })
})

describe('classPath()', () => {
  it('returns the kebab-case name after a slash', () => {
    assert.equal(classPath('UserProfiles'), '/user-profiles')
  })

  it('rejects a name without words', () => {
    assert.throws(
      () => classPath('$_'),
      (error: unknown) => error instanceof SetupError && error.code === 'ROUTE_NAME' && error.message.includes('"$_"'),
    )
  })
})
