import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blankRecord } from '#src/devconsole/record/blank-record.js'
import { Hider } from '#src/devconsole/redact/hider.js'
import { fillOrigin, type Ended } from '#src/devconsole/record/record-head.js'
import { Secrets } from '#src/observe/secrets.js'

/** Where a record says that its request came from. */
function originOf(facts: object, headers: Ended['headers']): unknown[] {
  const record = blankRecord()
  // Proof: of a call that has ended, its facts and headers alone are looked at.
  fillOrigin(record, new Hider(new Secrets()), { facts, headers } as unknown as Ended)
  const { 'url.scheme': scheme, 'server.address': server, 'client.address': client } = record
  return [scheme, server, client, record['user_agent.original'], record['dev.traceId']]
}

describe('fillOrigin()', () => {
  const [scheme, , client, agent, trace] = originOf({ client: '', isSecure: false, traceId: undefined }, {})

  it('leaves out what is not known', () => {
    const { 'url.scheme': blank, 'client.address': nobody } = blankRecord()
    assert.deepEqual([scheme, client, agent, trace], [blank, nobody, blankRecord()['user_agent.original'], null])
  })

  it('says where a request came from, without secrets', () => {
    const facts = { client: '10.0.0.1', isSecure: true, traceId: 'abc' }
    const headers = { host: `a${'b'.repeat(400)}`, 'user-agent': 'curl/8 token=abc' }
    const [secure, server, address, named, traced] = originOf(facts, headers)
    assert.deepEqual([secure, address, traced], ['https', '10.0.0.1', 'abc'])
    assert.equal(String(server).length, 300)
    assert.equal(named, 'curl/8 token=redacted')
  })
})
