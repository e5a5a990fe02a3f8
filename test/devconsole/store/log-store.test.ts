import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { LogStore } from '#src/devconsole/store/log-store.js'
import { Secrets } from '#src/secrets/secrets.js'

const logs = () => new LogStore(new RequestRedactor(new Secrets()))

describe('LogStore', () => {
  it('stores lines without secrets, request id and trace id', () => {
    const store = logs()
    const fields = { requestId: 'x', traceId: 'y', password: 'hunter2', a: { b: 1 } }
    const { line } = store.add({ level: 'info', fields, message: 'with ?token=abc' }, 'r_1') ?? {}
    assert.deepEqual(
      [line?.seq, line?.level, line?.message, line?.fields, line?.request],
      [1, 'info', 'with ?token=redacted', { password: 'redacted', a: { b: 1 } }, 'r_1'],
    )
    assert.equal(store.add({ level: 'warn', fields: { requestId: 'x' }, message: '' }, null)?.line.fields, null)
    assert.deepEqual(store.of('r_1'), [line])
    store.clear()
    assert.deepEqual(store.items, [])
  })

  it('does not store the link of a request, but stores other fields with its name', () => {
    const store = logs()
    const add = (console: unknown) =>
      store.add({ level: 'error', fields: { console }, message: '' }, 'r_1')?.line.fields
    assert.equal(add('http://localhost:3000/__dev__#/requests/r_1'), null)
    assert.deepEqual([add('ps5'), add(5)], [{ console: 'ps5' }, { console: 5 }])
  })

  it('limits the size of a line', () => {
    const store = logs()
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`key${index}`, 'x'.repeat(200)]))
    const kept = store.add({ level: 'info', fields: many, message: 'm'.repeat(100_000) }, null)
    assert.equal(kept?.line.message.length, 2_048)
    const link = store.add(
      { level: 'info', fields: {}, message: `${'x '.repeat(1_010)}postgres://me:hunter2${'x'.repeat(100)}@host` },
      null,
    )
    assert.match(link?.line.message ?? '', /^(?:x )+x$/)
    assert.match(JSON.stringify(kept?.line.fields), /^\{"…":"\[\d+ characters\]"\}$/)
    assert.ok((kept?.bytes ?? Infinity) < 5_000)
  })

  it('limits the number of lines in total and per second', (t) => {
    t.mock.method(performance, 'now', () => 0)
    const store = logs()
    const added = Array.from({ length: 20_000 }, () => store.add({ level: 'info', fields: {}, message: 'x' }, null))
    assert.equal(store.items.length, 2_000)
    assert.ok(added.includes(null))
    const unread = {
      level: 'info',
      fields: {},
      get message(): string {
        return assert.fail('A line that is not kept was read')
      },
    }
    while (store.add({ level: 'info', fields: {}, message: 'x' }, null) !== null);
    assert.equal(store.add(unread, null), null)
  })
})
