import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findFlaw } from '#src/router/flaw.js'

// Each template with a piece of the state and the way out.
const FLAWS: readonly (readonly [template: string, state: string, fix: string])[] = [
  ['', 'it does not start with "/"', 'Write the "/"'],
  ['users', 'it does not start with "/"', 'Write the "/"'],
  ['//', 'empty segment', 'Write one "/" before each segment and none at the end'],
  ['/users/', 'empty segment', 'none at the end'],
  ['/users//{id}', 'empty segment', 'Write one "/"'],
  ['/./users', 'the segment "."', 'Write the path without it'],
  ['/users/..', 'the segment ".."', 'Write the path without it'],
  ['/users/:id', '":" begins no parameter', 'Write "{id}" instead of ":id"'],
  ['/users/:id?', '":" begins no parameter', 'Write "{id}"'],
  ['/users/:id(\\d+)', '":" begins no parameter', 'Write "{id}"'],
  ['/users/:', '":" begins no parameter', 'Write "{name}"'],
  ['/files/*', '"*" is no wildcard', 'Write "{rest...}" as the last segment'],
  ['/files/*path', '"*" is no wildcard', 'Write "{path...}" as the last segment'],
  ['/files/**', '"*" is no wildcard', 'Write "{rest...}"'],
  ['/{__proto__}', 'the name "__proto__"', 'Choose another name'],
  ['/{__proto__...}', 'the name "__proto__"', 'Choose another name'],
  ['/{}', '"" is not an identifier', 'Write "{name}"'],
  ['/{...}', '"" is not an identifier', 'Write "{name}"'],
  ['/{...rest}', '"...rest" is not an identifier', 'Write "{rest}"'],
  ['/{user-id}', '"user-id" is not an identifier', 'Write "{user}"'],
  ['/{1st}', '"1st" is not an identifier', 'Write "{st}"'],
  ['/{id:[0-9]*}', '"id:[0-9]*" is not an identifier', 'schema for "params"'],
  ['/{id?}', '"id?" is not an identifier', 'Write "{id}"'],
  ['/{a}-{b}', 'a brace beside other text', 'Write "{a}" for the whole segment'],
  ['/v{version}', 'a brace beside other text', 'Write "{v}" for the whole segment'],
  ['/{id}.json', 'a brace beside other text', 'Write "{id}"'],
  ['/{id', 'a brace beside other text', 'Write "{id}"'],
  ['/}{', 'a brace beside other text', 'Write "{name}"'],
  ['/{{id}}', 'a brace beside other text', 'Write "{id}"'],
  ['/(users|people)', 'looks like a regular expression', 'Write "{name}"'],
  ['/[a-z]', 'looks like a regular expression', 'schema for "params"'],
  ['/^a', 'looks like a regular expression', 'Write "{name}"'],
  ['/a\\b', 'looks like a regular expression', 'Write "{name}"'],
  ['/caf%C3%A9', 'percent-encoded', 'Write the character itself'],
  ['/100%', 'percent-encoded', 'Write the character itself'],
  ['/users?active=1', '"?" begins a query', 'Describe it in "query" of the contract'],
  ['/users/a?', '"?" begins a query', 'for an optional segment declare two routes'],
  ['/users#top', '"#" begins a fragment', 'Write the path without it'],
  ['/a\nb', 'a control character', 'Write it without'],
  ['/a\u007f', 'a control character', 'Write it without'],
  ['/\ud800', 'half a surrogate pair', 'Write it without'],
  ['/{rest...}/edit', '"{rest...}" takes the rest of the path but is not the last segment', 'Write "{rest}"'],
  ['/{id}/{id}', 'the name "id" stands in it twice', 'Give each parameter its own name'],
  ['/{id}/a/{id...}', 'the name "id" stands in it twice', 'Give each parameter its own name'],
]

const SOUND = [
  '/',
  '/users',
  '/users/{id}',
  '/{rest...}',
  '/a/{b}/c/{d...}',
  '/users:batch',
  '/$metadata',
  '/c++',
  '/a.b',
]

describe('findFlaw()', () => {
  for (const [template, state, fix] of FLAWS) {
    it(`says what to write instead of ${JSON.stringify(template)}`, () => {
      const [found = '', way = ''] = (findFlaw(template) ?? '').split(/\. (?=[A-Z])/)
      assert.ok(found.includes(state), found)
      assert.ok(way.includes(fix), way)
      assert.doesNotMatch(way, /\.$/)
    })
  }

  for (const template of SOUND) {
    it(`finds nothing wrong with "${template}"`, () => {
      assert.equal(findFlaw(template), undefined)
    })
  }
})
