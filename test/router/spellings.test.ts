import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSpellings, createSpellings, hasOtherSpelling } from '#src/router/spellings.js'
import { parseTemplate } from '#src/router/template.js'

function spellingsOf(...templates: readonly string[]) {
  const spellings = createSpellings()
  for (const text of templates) addSpellings(spellings, parseTemplate(text, 'Test'))
  return spellings
}

describe('addSpellings()', () => {
  it('limits the depth to the last literal of a template', () => {
    assert.equal(spellingsOf('/', '/{a}/{b}', '/{rest...}').depth, 0)
    assert.equal(spellingsOf('/a/{b}/{c}', '/a').depth, 1)
    assert.equal(spellingsOf('/a/{b}/c/{rest...}').depth, 3)
  })

  it('sets hasBare if a literal has a character that requests may send unencoded', () => {
    assert.equal(spellingsOf('/a b', '/ä', '/@me').hasBare, false)
    for (const character of ['"', '<', '>', '`']) assert.equal(spellingsOf(`/a${character}`, '/b').hasBare, true)
  })
})

describe('hasOtherSpelling()', () => {
  const spellings = spellingsOf('/files/secret', '/files/{name}', '/{a}/x/{b}/y z', '/ä')
  for (const path of [
    '/files/%73ecret',
    '/%66iles',
    '/%66iles/other',
    '/1/%78',
    '/1/x/2/y%20%7A',
    '/files/x/2/%79%20z',
  ]) {
    it(`returns true for ${path}`, () => assert.equal(hasOtherSpelling(spellings, path), true))
  }
  for (const path of [
    '/files/secret',
    '/files/%73',
    '/1/x/2/y%20z',
    '/%C3%A4',
    '/%31/%73ecret',
    '/files/a/%73ecret',
    '/',
  ]) {
    it(`returns false for ${path}`, () => assert.equal(hasOtherSpelling(spellings, path), false))
  }
})
