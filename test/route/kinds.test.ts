import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Kind } from '#src/route/kinds.js'
import { assertSetupError } from '#test/apps.js'

const REFUSED: readonly (readonly [kind: Kind['name'], options: object, ...says: string[]])[] = [
  [
    'json',
    { limits: 1 },
    '"limits" of json()',
    'Did you mean "limit"?',
    'Valid options are limit, types, headers, raw',
  ],
  ['text', { raw: true }, '"raw" of text()', 'it is unknown', 'Valid options are limit, types'],
  ['events', { limit: 1 }, '"limit" of events()', 'Valid options are heartbeat'],
  ['form', { limit: -1 }, '"limit" of form()', '-1', 'a non-negative integer of bytes'],
  ['bytes', { limit: '1mb' }, 'not a string of length 3'],
  ['stream', { limit: NaN }, 'NaN', 'a non-negative integer of bytes'],
  ['json', { raw: 'yes' }, '"raw" of json()', 'true or false'],
  ['events', { heartbeat: 0 }, '"heartbeat" of events()', 'of ms from 1 to 2147483647'],
  ['text', { types: 'text/csv' }, '"types" of text()', "['image/png', 'image/*']"],
  ['text', { types: [] }, '"types" of text()'],
  ['text', { types: ['csv'] }, '"types" of text()'],
]

describe('Kind', () => {
  for (const [kind, options, ...says] of REFUSED) {
    it(`rejects ${JSON.stringify(options)} for ${kind}()`, () => {
      assertSetupError(() => new Kind(kind, null, options), 'OPTION_INVALID', ...says)
    })
  }

  it('accepts the options of each kind', () => {
    const accepted: readonly (readonly [kind: Kind['name'], options: object])[] = [
      ['json', { limit: 0, types: ['application/*+json'], raw: false }],
      ['text', { limit: undefined, types: ['text/*', '*/*'] }],
      ['events', { heartbeat: 1 }],
      ['bytes', {}],
    ]
    for (const [kind, options] of accepted) assert.equal(new Kind(kind, null, options).name, kind)
  })
})
