/** The streamed files of the task page. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { unzipSync } from 'fflate'
import { createApp, Route, stream } from 'verbena'
import { importApp, importFile, writePageFiles } from './page-app.js'
import { until } from './until.js'

const PAGE = 'stream-pdf-csv-zip'
const FORMATS = ['csv', 'pdf', 'zip'] as const
/** Much more than the buffers of sockets. */
const COUNT = 400_000

/** Orders that count their readers. */
class Orders {
  opened = 0
  closed = 0
  /** Highest id that was read. */
  read = 0
  readonly #failsAt: number

  constructor(failsAt = Infinity) {
    this.#failsAt = failsAt
  }

  async *all() {
    this.opened += 1
    try {
      for (let id = 1; id <= COUNT; id++) {
        if (id > this.#failsAt) throw new Error('The database is gone')
        this.read = Math.max(this.read, id)
        // As a cursor, which waits for its next rows.
        if (id % 100 === 0) await sleep(0)
        yield { id, customer: `=Ada ${Math.random()}` }
      }
    } finally {
      this.closed += 1
    }
  }
}

interface Files {
  toCsv(orders: AsyncIterable<object>): Readable
  toPdf(orders: AsyncIterable<object>): AsyncIterable<Uint8Array>
  toZip(files: Readonly<Record<string, Readable>>): Readable
}

/** Creates the files of the page from other orders. */
function createFile({ toCsv, toPdf, toZip }: Files, format: (typeof FORMATS)[number], orders: Orders) {
  if (format === 'csv') return toCsv(orders.all())
  if (format === 'pdf') return toPdf(orders.all())
  return toZip({ 'a.csv': toCsv(orders.all()), 'a.pdf': Readable.from(toPdf(orders.all())) })
}

describe('streamed files', () => {
  let files: Files

  before(async () => {
    files = await importFile(writePageFiles(PAGE), 'src/files.ts')
  })

  /** Starts an app that sends a file of the orders. */
  async function start(t: TestContext, format: (typeof FORMATS)[number], orders: Orders): Promise<string> {
    class Download extends Route {
      static readonly get = this.contract({ returns: stream() })
      async get() {
        return createFile(files, format, orders)
      }
    }
    const app = createApp({ routes: { Download }, logger: false, signals: false })
    t.after(() => app.close())
    return `${(await app.listen()).url}/download`
  }

  it('contain all orders', async (t) => {
    const app = await importApp(PAGE)
    const { url } = await app.listen()
    t.after(() => app.close())
    const contents = new Map<string, Uint8Array>()
    for (const format of FORMATS) {
      const response = await fetch(`${url}/orders/${format}`)
      assert.equal(response.headers.get('content-disposition'), `attachment; filename="orders.${format}"`)
      const type = format === 'csv' ? 'text/csv' : `application/${format}`
      assert.equal(response.headers.get('content-type')?.split(';', 1)[0], type)
      contents.set(format, new Uint8Array(await response.arrayBuffer()))
    }
    const csv = Buffer.from(contents.get('csv') ?? []).toString()
    assert.deepEqual([csv.split('\n').length, csv.split('\n')[2]], [1_001, "2,'=1+1"])
    const entries = unzipSync(contents.get('zip') ?? new Uint8Array())
    assert.deepEqual(Object.keys(entries), ['orders.csv', 'orders.pdf'])
    assert.equal(Buffer.from(entries['orders.csv'] ?? []).toString(), csv)
    for (const pdf of [contents.get('pdf'), entries['orders.pdf']]) {
      const text = Buffer.from(pdf ?? []).toString('latin1')
      assert.match(text, /^%PDF-1\.3\n[^]*\n%%EOF\n$/)
    }
  })

  for (const format of FORMATS) {
    it(`cut the connection and close their source after an error halfway: ${format}`, async (t) => {
      const orders = new Orders(1_000)
      const url = await start(t, format, orders)
      const response = await fetch(url)
      assert.equal(response.status, 200)
      await assert.rejects(response.arrayBuffer(), /terminated/)
      await until(() => orders.closed === orders.opened)
    })

    it(`stop if the client leaves: ${format}`, async (t) => {
      const orders = new Orders()
      const url = await start(t, format, orders)
      const client = new AbortController()
      const { body } = await fetch(url, { signal: client.signal })
      await body?.getReader().read()
      client.abort()
      await until(() => orders.closed === orders.opened)
      assert.ok(orders.opened > 0)
      assert.ok(orders.read < COUNT, `${orders.read}`)
    })
  }
})
