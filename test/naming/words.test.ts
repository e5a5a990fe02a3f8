import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitWords } from '#src/naming/words.js'

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
