/** Faults of an app under `verbena dev`, named by a program that only reads the JSON of the commands beside it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createProject } from '#test/command-line.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'
import { nameFaults } from '#test/name-faults.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'

/** The adapter of a database. */
const QUERY = `import { observeCall } from 'verbena'

export const query = (text, run) => observeCall({ kind: 'sql', text }, async () => run())
`
/** Services. The comment names the fault of the line below it. */
const SHOP = `import { setTimeout as sleep } from 'node:timers/promises'
import { query } from './query.js'

const ROWS = [1, 2, 3, 4, 5, 6].map((id) => ({ id, price: 10 * id }))

export class Shop {
  orders() {
    return query('select * from orders', () => ROWS)
  }

  stock(id) {
    return query('select count from stock where id = $1', () => id)
  }

  coupons() {
    // failed query
    return query('select cod from coupons', () => Promise.reject(new Error('no such column: cod')))
  }

  async report() {
    await sleep(1200)
    return ROWS.length
  }
}
`
const APP = `import { createApp, Route, service } from 'verbena'
import { Shop } from './shop.js'

const number = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'number' ? { value } : { issues: [{ message: 'must be a number' }] }),
  },
}

class Orders extends Route {
  async get() {
    const rows = await this.shop.orders()
    const counts = []
    // query per row
    for (const { id } of rows) counts.push(await this.shop.stock(id))
    return counts
  }
}

class OrderById extends Route {
  static path = '/orders/{id}'
  async get({ params }) {
    const order = (await this.shop.orders()).find(({ id }) => id === params.id)
    // exception
    return { price: order.price }
  }
}

class Coupons extends Route {
  get() {
    return this.shop.coupons()
  }
}

class Price extends Route {
  // wrong response
  static get = this.contract({ returns: number })
  get() {
    return '10'
  }
}

class Report extends Route {
  async get() {
    // slow call
    return this.shop.report()
  }
}

class Total extends Route {
  async get() {
    const rows = await this.shop.orders()
    // A wrong result that nothing can detect: the first row is missing.
    return { total: rows.slice(1).reduce((sum, { price }) => sum + price, 0) }
  }
}

const routes = { Orders, OrderById, Coupons, Price, Report, Total }
const { port } = await createApp({ routes, services: { shop: service(() => new Shop()) } }).listen()
console.error('port', port)
`
const PATHS = ['/orders', '/orders/9', '/coupons', '/price', '/report', '/total']

/** Returns the place of the line below a comment. */
function placeBelow(comment: string): string {
  const [file, text] = SHOP.includes(`// ${comment}\n`) ? ['shop.js', SHOP] : ['app.js', APP]
  return `${file}:${text.split('\n').findIndex((line) => line.trim() === `// ${comment}`) + 2}`
}

describe('planted faults', { timeout: 120_000 }, () => {
  it('finds five of six faults and a failed start from JSON, with file and line', async () => {
    using project = await createProject({ 'app.js': APP, 'shop.js': SHOP, 'query.js': QUERY })
    const { folder, verbena } = project
    const read = async (...args: readonly string[]): Promise<string> => (await verbena(args)).out
    await using dev = startDev(folder, ['app.js'], { program: join(folder, PROGRAM) })
    const [, port] = await dev.printed(/port (\d+)/)
    for (const path of PATHS) await ask({ port: Number(port), path })
    await eventually(async () => assert.equal(JSON.parse(await read('requests', '--json')).length, PATHS.length))
    const expected = [
      ['query per row', 'GET /orders'],
      ['exception', 'GET /orders/{id}'],
      ['failed query', 'GET /coupons'],
      ['wrong response', 'GET /price'],
      ['slow call', 'GET /report'],
    ].map(([kind = '', request]) => ({ kind, request, place: placeBelow(kind) }))
    const sort = (list: readonly object[]): string[] => list.map((fault) => JSON.stringify(fault)).toSorted()
    assert.deepEqual(sort(await nameFaults(read)), sort(expected))

    const failed = dev.next('failed')
    saveFile(join(folder, 'app.js'), `${APP}\nconst a = ;\n`)
    await failed
    const start = { kind: 'failed start', request: null, place: `app.js:${APP.split('\n').length + 1}` }
    assert.deepEqual(sort(await nameFaults(read)), sort([...expected, start]))
  })
})
