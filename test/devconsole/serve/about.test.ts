import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aboutOf } from '#src/devconsole/serve/about.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { recordWith } from '#test/console-records.js'

const aboutWith = (changes: Partial<RequestRecord>) => Object.fromEntries(aboutOf(recordWith(changes)))

describe('aboutOf()', () => {
  it('says who answered, and what the request was', () => {
    const about = aboutOf(
      recordWith({
        'code.file.path': 'src/books.ts',
        'code.line.number': 7,
        'user_agent.original': 'curl/8',
        'dev.traceId': 'abc',
        params: { id: '1' },
        decorators: ['@log', '@speed({ slow: 5 })'],
      }),
    )
    assert.deepEqual(about, [
      ['Template', [{ code: '/books/{id}' }]],
      ['Handler', [{ code: 'Books.get' }, ' in ', { place: { file: 'src/books.ts', line: 7 } }]],
      ['Parameters', [{ code: '{"id":"1"}' }]],
      ['Decorators', [{ code: '@log, @speed({ slow: 5 })' }]],
      ['Version', [{ dim: 'not versioned' }]],
      ['Client', [{ code: '127.0.0.1, curl/8' }]],
      ['Trace', [{ code: 'abc' }]],
      ['Process', [{ code: '1' }]],
    ])
  })

  it('says what there is none of, and nothing of what is not known', () => {
    const about = aboutWith({ 'http.route': null, 'code.function.name': null, 'client.address': null })
    assert.deepEqual(about, {
      Template: [{ dim: 'none matched' }],
      Handler: [{ dim: 'none answered' }],
      Parameters: [{ dim: 'none' }],
      Decorators: [{ dim: 'none' }],
      Version: [{ dim: 'not versioned' }],
      Process: [{ code: '1' }],
    })
  })

  it('says which version was asked for, where, and whether it is there', () => {
    const version = { asked: '2.1', constraint: '>=2', ok: true, from: 'accept-version', isDefault: false }
    const saidOf = (changes: Partial<RequestRecord['version']>) =>
      aboutWith({ version: { ...version, alternatives: [], ...changes } })['Version']
    const [from, constraint] = [{ code: 'accept-version' }, { code: '>=2' }]
    assert.deepEqual(saidOf({}), ['asked 2.1 in ', from, ', satisfies ', constraint])
    assert.deepEqual(saidOf({ ok: false, asked: null }), ['asked none in ', from, ', does not satisfy ', constraint])
    assert.deepEqual(saidOf({ isDefault: true }), ['none asked, 2.1 taken', ', satisfies ', constraint])
  })
})
