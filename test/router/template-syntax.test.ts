import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findSyntaxError } from '#src/router/template-syntax.js'

/** Invalid templates with parts of the state and of the fix. */
const FLAWS: readonly (readonly [template: string, state: string, fix: string])[] = [
  ['', 'it does not start with "/"', 'Add the "/"'],
  ['users', 'it does not start with "/"', 'Add the "/"'],
  ['//', 'empty segment', 'Write one "/" before each segment and none at the end'],
  ['/users/', 'empty segment', 'none at the end'],
  ['/users//{id}', 'empty segment', 'Write one "/"'],
  ['/./users', 'the segment "."', 'Remove it'],
  ['/users/..', 'the segment ".."', 'Remove it'],
  ['/users/:id', '":" does not start a parameter', 'Write "{id}" instead of ":id"'],
  ['/users/:id?', '":" does not start a parameter', 'Write "{id}"'],
  ['/users/:id(\\d+)', '":" does not start a parameter', 'Write "{id}"'],
  ['/users/:', '":" does not start a parameter', 'Write "{name}"'],
  ['/files/*', '"*" is not a wildcard', 'Write "{rest...}" as the last segment'],
  ['/files/*path', '"*" is not a wildcard', 'Write "{path...}" as the last segment'],
  ['/files/**', '"*" is not a wildcard', 'Write "{rest...}"'],
  ['/{__proto__}', 'the name "__proto__"', 'Use another name'],
  ['/{__proto__...}', 'the name "__proto__"', 'Use another name'],
  ['/{}', '"" is not an identifier', 'Write "{name}"'],
  ['/{...}', '"" is not an identifier', 'Write "{name...}"'],
  ['/{...rest}', '"...rest" is not an identifier', 'Write "{rest...}"'],
  ['/{my-file...}', '"my-file" is not an identifier', 'Write "{my...}"'],
  ['/{user-id}', '"user-id" is not an identifier', 'Write "{user}"'],
  ['/{1st}', '"1st" is not an identifier', 'Write "{st}"'],
  // Wildcards of other frameworks.
  ['/files/:path*', '":" does not start a parameter', 'Write "{path...}" instead of ":path*"'],
  ['/files/:path+', '":" does not start a parameter', 'Write "{path...}" instead of ":path+"'],
  ['/files/:path(.*)', '":" does not start a parameter', 'Write "{path...}" instead'],
  ['/files/:path{.+}', '":" does not start a parameter', 'Write "{path...}" instead'],
  ['/files/{path*}', '"path*" is not an identifier', 'Write "{path...}", as the last segment'],
  ['/files/{*path}', '"*path" is not an identifier', 'Write "{path...}", as the last segment'],
  ['/files/{**path}', '"**path" is not an identifier', 'Write "{path...}", as the last segment'],
  ['/files/{proxy+}', '"proxy+" is not an identifier', 'Write "{proxy...}", as the last segment'],
  ['/files/{path:.*}', '"path:.*" is not an identifier', 'Write "{path...}", as the last segment'],
  ['/files/{path:path}', '"path:path" is not an identifier', 'Write "{path...}", as the last segment'],
  ['/files/[...path]', 'looks like a regular expression', 'Write "{path...}" for the segment, as the last segment'],
  ['/files/[[...path]]', 'looks like a regular expression', 'Write "{path...}" for the segment'],
  ['/files/(.*)', '"*" is not a wildcard', 'Write "{rest...}" as the last segment'],
  ['/files/(.+)', 'looks like a regular expression', 'Write "{name...}" for the segment'],
  // Regular expressions of one segment.
  ['/{id:[0-9]+}', '"id:[0-9]+" is not an identifier', 'Write "{id}", and restrict'],
  ['/{id:\\d*}', '"id:\\d*" is not an identifier', 'Write "{id}", and restrict'],
  ['/:id(\\d*)', '":" does not start a parameter', 'Write "{id}"'],
  ['/{id:[0-9]*}', '"id:[0-9]*" is not an identifier', 'schema for "params"'],
  ['/{id?}', '"id?" is not an identifier', 'Write "{id}"'],
  ['/{a}-{b}', 'a brace next to other text', 'Write "{a}" for the whole segment'],
  ['/v{version}', 'a brace next to other text', 'Write "{v}" for the whole segment'],
  ['/{id}.json', 'a brace next to other text', 'Write "{id}"'],
  ['/{id', 'a brace next to other text', 'Write "{id}"'],
  ['/}{', 'a brace next to other text', 'Write "{name}"'],
  ['/{{id}}', 'a brace next to other text', 'Write "{id}"'],
  ['/(users|people)', 'looks like a regular expression', 'Write "{name}"'],
  ['/[a-z]', 'looks like a regular expression', 'schema for "params"'],
  ['/^a', 'looks like a regular expression', 'Write "{name}"'],
  ['/a\\b', 'looks like a regular expression', 'Write "{name}"'],
  ['/caf%C3%A9', 'percent-encoded', 'Write the character itself'],
  ['/100%', 'percent-encoded', 'Write the character itself'],
  ['/users?active=1', '"?" starts a query', 'Declare it in "query" of the contract'],
  ['/users/a?', '"?" starts a query', 'for an optional segment, write two routes'],
  ['/users#top', '"#" starts a fragment', 'Remove it'],
  ['/a\nb', 'a control character', 'Remove it'],
  ['/a\u007f', 'a control character', 'Remove it'],
  ['/\ud800', 'half a surrogate pair', 'Remove it'],
  ['/{rest...}/edit', '"{rest...}" matches the rest of the path but is not the last segment', 'Write "{rest}"'],
  ['/{id}/{id}', 'the parameter name "id" is used twice', 'Use a different name for each parameter'],
  ['/{id}/a/{id...}', 'the parameter name "id" is used twice', 'Use a different name for each parameter'],
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

describe('findSyntaxError()', () => {
  for (const [template, state, fix] of FLAWS) {
    it(`returns state and fix for ${JSON.stringify(template)}`, () => {
      const [found = '', way = ''] = (findSyntaxError(template) ?? '').split(/\. (?=[A-Z])/)
      assert.ok(found.includes(state), found)
      assert.ok(way.includes(fix), way)
      assert.doesNotMatch(way, /\.$/)
    })
  }

  for (const template of SOUND) {
    it(`returns undefined for "${template}"`, () => {
      assert.equal(findSyntaxError(template), undefined)
    })
  }
})
