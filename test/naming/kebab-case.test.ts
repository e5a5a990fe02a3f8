import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kebabCase, type KebabCase, splitWords, classPath } from '#src/naming/kebab-case.js'
import { SetupError } from '#src/errors/setup-error.js'

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

describe('splitWords()', () => {
  it('begins a word at each capital', () => {
    assert.deepEqual(splitWords('UserProfiles'), ['User', 'Profiles'])
  })

  it('keeps a run of capitals together, up to the last one before a small letter', () => {
    assert.deepEqual(splitWords('APIStatus'), ['API', 'Status'])
    assert.deepEqual(splitWords('StatusAPI'), ['Status', 'API'])
  })

  it('keeps digits with the letters before them', () => {
    assert.deepEqual(splitWords('OAuth2Tokens'), ['O', 'Auth2', 'Tokens'])
  })

  it('drops separators, wherever and however many they are', () => {
    assert.deepEqual(splitWords('__user_$profile$'), ['user', 'profile'])
  })

  it('finds no word in separators alone', () => {
    assert.deepEqual(splitWords('_$'), [])
    assert.deepEqual(splitWords(''), [])
  })
})

describe('classPath()', () => {
  it('puts a slash before the name in kebab-case', () => {
    assert.equal(classPath('UserProfiles'), '/user-profiles')
  })

  it('refuses a name without words', () => {
    assert.throws(
      () => classPath('$_'),
      (error: unknown) => error instanceof SetupError && error.code === 'ROUTE_NAME' && error.message.includes('"$_"'),
    )
  })
})
