import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_FILE_BYTES, MAX_FILE_RECORDS, parseRecordFile, findFileError } from '../../../page/pure/record-file.js'
import { record } from '#test/page-records.js'

type Opened = Exclude<ReturnType<typeof parseRecordFile>, string>

function opened(content: unknown, number = 1): Opened {
  const file = parseRecordFile(JSON.stringify(content), number)
  assert.ok(typeof file !== 'string', String(file))
  return file
}

const entryAt = (seconds: number, url = `http://shop.test/${seconds}`) => ({
  startedDateTime: new Date(seconds * 1_000).toISOString(),
  request: { url },
})

const paths = ({ records }: Opened): string => records.map((each) => each['url.path']).join(' ')

describe('parseRecordFile()', () => {
  it('lists the requests of a HAR file, the newest first, with ids of this file', () => {
    const file = opened({ log: { entries: [entryAt(2), entryAt(3), entryAt(1)] } }, 4)
    assert.equal(paths(file), '/3 /2 /1')
    assert.deepEqual(
      file.records.map(({ id, boot, seq }) => [id, boot, seq]),
      [
        ['file-4-2', 'file-4', 2],
        ['file-4-1', 'file-4', 1],
        ['file-4-0', 'file-4', 0],
      ],
    )
    assert.equal(file.note, '')
  })

  it('says how many entries of a HAR file are not listed', () => {
    const entries = [entryAt(1), {}, entryAt(2, 'data:,x'), entryAt(3)]
    assert.equal(opened({ log: { entries } }).note, 'Not listed: 2 incomplete requests.')
    const many = Array.from({ length: MAX_FILE_RECORDS + 1_500 }, (_, index) => entryAt(index))
    const file = opened({ log: { entries: [...many, null] } })
    assert.deepEqual([file.records.length, file.records[0]?.['url.path']], [MAX_FILE_RECORDS - 1, '/3499'])
    assert.equal(file.note, 'Not listed: 1 incomplete request, 1,501 older requests.')
  })

  it('opens one JSON record, several, and the file of "devConsole.keep"', () => {
    const first = record({ id: 'r_a', 'dev.pinned': true })
    const replay = record({ id: 'r_b', time: first.time + 5, 'dev.replayOf': 'r_a' })
    const other = record({ id: 'r_c', time: first.time + 9, 'dev.replayOf': 'r_elsewhere' })
    const file = opened([first, replay, other])
    assert.deepEqual(
      file.records.map((each) => [each.id, each['dev.replayOf'], each['dev.pinned']]),
      [
        ['file-1-2', null, false],
        ['file-1-1', 'file-1-0', false],
        ['file-1-0', null, false],
      ],
    )
    assert.deepEqual(opened(first).records[0]?.params, { id: '7' })
    const kept = { format: 'verbena-console', v: 2, sha256: '', app: 'shop', runs: [], records: [first, 'damaged'] }
    assert.deepEqual([opened(kept).records.length, opened(kept).note], [1, 'Not listed: 1 incomplete request.'])
  })

  it('returns why a file cannot be opened', () => {
    const other = 'The file contains neither a HAR archive nor a record of the console. Open another file.'
    const reasons: readonly (readonly [text: string, reason: string])[] = [
      ['', 'The file is not JSON. Open a HAR file or a JSON record of the console.'],
      ['<html>', 'The file is not JSON. Open a HAR file or a JSON record of the console.'],
      ['{"log":5}', 'The HAR file has no list "log.entries". Export it again.'],
      ['{"log":{"entries":{}}}', 'The HAR file has no list "log.entries". Export it again.'],
      ['{"log":{"entries":[]}}', 'The HAR file contains no requests. Export it again.'],
      ['{"log":{"entries":[null,{},5]}}', 'No entry of the HAR file has both an HTTP URL and a time. Export it again.'],
      ['null', other],
      ['5', other],
      ['[]', other],
      ['{"name":"package"}', other],
      ['{"records":[]}', other],
      ['{"__proto__":{"log":{"entries":[]}}}', other],
    ]
    for (const [text, reason] of reasons) assert.equal(parseRecordFile(text, 1), reason, text)
  })

  it('skips a record that is nested too deeply to be formatted', () => {
    const line = '{"seq":1,"time":1,"level":"info","message":"x","fields":{"a":DEEP}}'
    const text = JSON.stringify({ ...record(), logs: ['LINE'] }).replace('"LINE"', line)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.equal(typeof parseRecordFile(text.replace('DEEP', '[]'), 1), 'object')
    assert.equal(typeof parseRecordFile(text.replace('DEEP', deep), 1), 'string')
  })
})

describe('findFileError()', () => {
  it('accepts one file of at most 50 MB that is not empty', () => {
    assert.equal(findFileError([{ name: 'a.har', size: MAX_FILE_BYTES }]), null)
    assert.equal(
      findFileError([{ name: 'a.har', size: MAX_FILE_BYTES + 100_000 }]),
      'The file has 50.1 MB, and the maximum is 50.0 MB. Export fewer requests.',
    )
    assert.match(findFileError([{ name: 'a.har', size: 0 }]) ?? '', /empty, or it is a folder/)
    for (const files of [
      [],
      [
        { name: 'a', size: 1 },
        { name: 'b', size: 1 },
      ],
    ])
      assert.equal(findFileError(files), 'Open one file at a time.')
  })
})
