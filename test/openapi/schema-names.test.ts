import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freeName, schemaId, joinedName, ownName } from '#src/openapi/schema-names.js'

describe('ownName()', () => {
  for (const [key, schema, name] of [
    ['User', {}, 'User'],
    ['User', { title: 'Other' }, 'User'],
    ['a/b c', {}, 'a_b_c'],
    ['0', { title: 'Cat' }, 'Cat'],
    ['', { id: 'Dog' }, 'Dog'],
    [undefined, { $id: 'First', id: 'Second', title: 'Third' }, 'First'],
    [undefined, { title: 'Third' }, 'Third'],
    [undefined, { title: 'a user 2' }, 'AUser2'],
    [undefined, { title: 'A user, as others see it' }, undefined],
    [undefined, { title: `a ${'very '.repeat(8)}long title` }, undefined],
    [undefined, { title: '' }, undefined],
    [undefined, { title: 7 }, undefined],
    [undefined, {}, undefined],
  ] as const) {
    it(`returns ${name} for the key ${key} and ${JSON.stringify(schema)}`, () =>
      assert.equal(ownName(schema, key), name))
  }

  for (const key of ['0', '12', '__schema0', 'schema3', 'intersection222', 'union7', 'morph1', 'alias9', 'def_1']) {
    it(`ignores the generated name "${key}"`, () => assert.equal(ownName({}, key), undefined))
  }

  for (const key of ['User2', 'v1', 'address1', 'Schema', 'union']) {
    it(`accepts "${key}" as a name`, () => assert.equal(ownName({}, key), key))
  }
})

describe('schemaId()', () => {
  it('accepts names, but not URLs, numbers or generated names', () => {
    const ids = ['User', 'my.user-2', 'https://example.com/user', '#user', '7', '__schema0', 7]
    assert.deepEqual(
      ids.map((id) => schemaId({ id })),
      ['User', 'my.user-2', undefined, undefined, undefined, undefined, undefined],
    )
  })
})

describe('joinedName()', () => {
  it('joins words in Pascal case', () => {
    assert.equal(joinedName('UserProfiles', 'get', 'response'), 'UserProfilesGetResponse')
    assert.equal(joinedName('user-profiles', 'x-api key', ''), 'UserProfilesXApiKey')
    assert.equal(joinedName('größe', 'get'), 'Gr__eGet')
  })
})

describe('freeName()', () => {
  it('appends the next free number, starting at 2', () => {
    const taken = new Set(['a2'])
    assert.deepEqual([freeName('a', taken), freeName('a', taken), freeName('a', taken)], ['a', 'a3', 'a4'])
  })
})
