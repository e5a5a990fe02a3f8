import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suggestTerms } from '../../../page/pure/suggest.js'
import { summary } from '#test/page-records.js'

const RECORDS = [summary(), summary({ 'code.function.name': null, 'http.request.method': 'POST', 'url.path': '/a b' })]
const texts = (q: string) => suggestTerms(q, RECORDS).map(({ text }) => text)

describe('suggestTerms()', () => {
  it('completes the key of the last term, and keeps the terms before it', () => {
    assert.deepEqual(texts('me'), ['method:'])
    assert.deepEqual(texts('ha'), ['handler:', 'has:'])
    assert.deepEqual(suggestTerms('status:5xx -HAN', RECORDS)[0]?.q, 'status:5xx -handler:')
    assert.deepEqual([texts(''), texts('a '), texts('zzz'), texts('-')], [[], [], [], []])
  })

  it('completes values that occur in the records, and words of the key', () => {
    assert.deepEqual(texts('method:'), ['method:GET', 'method:POST'])
    assert.deepEqual(texts('method:p'), ['method:POST'])
    assert.deepEqual(texts('path:/a'), ['path:"/a b"'])
    assert.deepEqual(texts('handler:'), ['handler:User.get'])
    assert.deepEqual(texts('is:in'), ['is:invalid', 'is:inflight'])
    assert.deepEqual([texts('method:GET'), texts('dur:'), texts('constructor:'), texts('nope:')], [[], [], [], []])
    assert.ok(texts('is:').length <= 8)
  })
})
