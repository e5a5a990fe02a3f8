/** The console of the example that `npm start` serves: SQL of its stores, on Node 22.13 and later. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { isBuiltin } from 'node:module'
import { describe, it } from 'node:test'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { read } from '#test/console.js'
import { openShop } from '../../examples/users/shop.js'
import { openDatabase } from '../../examples/users/store.js'
import { troubledApp } from '../../examples/users/troubles.js'

const skip = isBuiltin('node:sqlite') ? false : 'Node before 22.13 has no node:sqlite'

/** Returns the record of a GET request to the example. */
async function recordOf(path: string): Promise<RequestRecord> {
  await using app = troubledApp(await openDatabase(), await openShop())
  const { url } = await app.listen({ port: 0 })
  const response = await fetch(url + path)
  await response.text()
  const id = response.headers.get('x-dev-console')?.split('/').at(-1)
  return await read(`${url}/__dev__/api/requests/${id}`)
}

describe('console of examples/users', () => {
  it('shows the statements of the users, with rows and call site', { skip }, async () => {
    const { queries } = await recordOf('/users/1')
    const [query] = queries
    assert.match(String(query?.text), /^select .+ from users where users\.id = \?$/)
    assert.deepEqual([query?.params, query?.rows, query?.site?.file], ['"1"', 1, 'examples/users/store.ts'])
  })

  it('shows the products of an order as one query per row', { skip }, async () => {
    const { queries, repeated } = await recordOf('/orders/1')
    assert.equal(queries.length, 10)
    assert.deepEqual(
      repeated.map(({ kind, name, count }) => [kind, name, count]),
      [['sql', 'select sku, name, cents from products where sku = ?', 9]],
    )
  })

  it('names the slow statement of a search', { skip }, async () => {
    const record = await recordOf('/products?q=grey')
    const [query] = record.queries
    assert.match(String(query?.text), /^select .+ from products where name like/)
    assert.ok(Number(query?.duration) > 850 && query?.rows === 1)
    assert.ok(Number(record.calls[0]?.own) < 100, `own time: ${record.calls[0]?.own}`)
  })
})
