/** The bytes of responses that declare no media types stay as they were before `file()` and `types` of responses. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bytes, Route, stream, text } from 'verbena'
import { sendFile } from 'verbena/files'
import { createUntypedApp, looseContract } from '#test/apps.js'
import { CHANGED_TEXT, createDirectory } from '#test/temp-directory.js'
import { exchangeBytes, formatRequest } from '#test/wire.js'

const folder = createDirectory({ 'a.txt': 'abcdefghij' })

async function* letters() {
  yield 'a'
  yield 'b'
}

function routeOf(contract: object, value: () => unknown) {
  class Probe extends Route {
    static readonly get = looseContract(this, contract)
    get() {
      return value()
    }
  }
  return Probe
}

const routes = {
  file: routeOf({ returns: stream() }, () => sendFile(join(folder, 'a.txt'))),
  stream: routeOf({ returns: stream() }, letters),
  bytes: routeOf({ returns: bytes() }, () => Buffer.from('ab')),
  text: routeOf({ returns: text() }, () => 'ab'),
}

const ID = 'x'.repeat(12)

/** Sorts the header lines, whose order differs between the two paths of the server, and replaces what differs between two runs. */
function toComparable(answer: string): string[] {
  const end = answer.indexOf('\r\n\r\n')
  const [status = '', ...lines] = answer.slice(0, end).split('\r\n')
  const id = lines.find((line) => line.startsWith('x-request-id: '))?.slice('x-request-id: '.length) ?? ID
  const fields = lines
    .filter((line) => !/^date: /i.test(line))
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
  return [status, ...fields.toSorted(), answer.slice(end + 4)].map((line) => line.replaceAll(id, ID))
}

const COMMON = ['connection: close']
const SNIFF = ['x-content-type-options: nosniff']
const TEXT = ['content-type: text/plain; charset=utf-8']
const BYTES = ['content-type: application/octet-stream']
const STATE = ['etag: "a-5ygofdijnvgg"', 'vary: accept-encoding']
const FILE = [...SNIFF, ...TEXT, ...STATE, 'accept-ranges: bytes', `last-modified: ${CHANGED_TEXT}`]
const PROBLEM = [...SNIFF, 'content-type: application/problem+json', `x-request-id: ${ID}`, 'vary: accept-encoding']

function problem(title: string, status: number, detail: string): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail, requestId: ID })
}

const OUTSIDE = problem('Range Not Satisfiable', 416, 'This file has 10 bytes. Request a range within them')
const CHANGE = problem('Precondition Failed', 412, 'This resource has changed or no longer exists')

type Row = readonly [
  target: string,
  headers: Record<string, string>,
  status: string,
  fields: readonly string[],
  body: string,
]

const ROWS: readonly Row[] = [
  ['/file', {}, '200 OK', [...FILE, 'content-length: 10'], 'abcdefghij'],
  [
    '/file',
    { range: 'bytes=2-4' },
    '206 Partial Content',
    [...FILE, 'content-length: 3', 'content-range: bytes 2-4/10'],
    'cde',
  ],
  [
    '/file',
    { range: 'bytes=99-' },
    '416 Range Not Satisfiable',
    [...PROBLEM, 'content-length: 157', 'content-range: bytes */10'],
    OUTSIDE,
  ],
  ['/file', { 'if-modified-since': CHANGED_TEXT }, '304 Not Modified', STATE, ''],
  ['/file', { 'if-match': '"other"' }, '412 Precondition Failed', [...PROBLEM, 'content-length: 149'], CHANGE],
  ['/stream', {}, '200 OK', [...SNIFF, ...BYTES, 'transfer-encoding: chunked'], '2\r\nab\r\n0\r\n\r\n'],
  ['/bytes', {}, '200 OK', [...SNIFF, ...BYTES, 'content-length: 2'], 'ab'],
  ['/text', {}, '200 OK', [...SNIFF, ...TEXT, 'content-length: 2'], 'ab'],
]

describe('responses without declared media types', () => {
  for (const [target, headers, status, fields, body] of ROWS) {
    it(`sends the same bytes as before: ${target} ${JSON.stringify(headers)}`, async () => {
      const app = createUntypedApp({ routes, signals: false, devConsole: false })
      const { port } = await app.listen()
      const answer = await exchangeBytes(port, formatRequest(`GET ${target} HTTP/1.1`, headers)).finally(() =>
        app.close(),
      )
      assert.deepEqual(toComparable(answer), [`HTTP/1.1 ${status}`, ...[...COMMON, ...fields].toSorted(), body])
    })
  }
})
