/** Lists in headers and paths, as the typed client writes them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type App } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'

class Lists extends Route {
  static readonly path = '/lists/{ids}/{rest...}'
  static readonly get = this.contract({
    params: z.object({ ids: z.array(z.string()), rest: z.string() }),
    headers: z.object({ 'x-list': z.array(z.union([z.string(), z.iso.datetime()])).optional() }),
    returns: null,
  })
  async get() {}
}

/** Returns the request that the client sends. */
async function send(ids: readonly string[], list?: readonly string[], common?: readonly string[]): Promise<Request> {
  const requests: Request[] = []
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request)
    return new Response(null, { status: 204 })
  }
  const api = createClient<App<{ Lists: typeof Lists }>>('http://localhost', {
    fetch,
    ...(common && { headers: { 'x-list': common, 'x-other': 'a,b' } }),
  })
  // Proof: the types of lists are not readonly, but the client does not change them.
  const params = { ids: ids as string[], rest: 'a/b' }
  await api('/lists/{ids}/{rest...}').get({ params, headers: list === undefined ? {} : { 'x-list': list as string[] } })
  const [request] = requests
  assert.ok(request)
  return request
}

describe('lists of the typed client', () => {
  it('separates the items of a header by commas', async () => {
    assert.equal((await send(['1'], ['a', 'b c'])).headers.get('x-list'), 'a,b c')
    assert.equal((await send(['1'], [])).headers.get('x-list'), null)
  })

  it('replaces a list of the client, and does not change a string with commas', async () => {
    assert.equal((await send(['1'], undefined, ['a', 'b'])).headers.get('x-list'), 'a,b')
    const { headers } = await send(['1'], ['c'], ['a', 'b'])
    assert.deepEqual([headers.get('x-list'), headers.get('x-other')], ['c', 'a,b'])
  })

  it('throws before it sends an item of a header that would arrive as another list', async () => {
    for (const wrong of ['a,b', '', ' a', 'a\t']) {
      const message = `Cannot send "x-list": the item "${wrong}" has a comma or outer blanks, or is empty`
      await assert.rejects(send(['1'], ['x', wrong]), { name: 'TypeError', message })
    }
  })

  it('separates the items of a path by commas, and encodes commas in them', async () => {
    assert.equal(new URL((await send(['1', 'a,b', 'ä/'])).url).pathname, '/lists/1,a%2Cb,%C3%A4%2F/a/b')
  })

  it('throws for a path with an empty list or item', async () => {
    for (const ids of [[], ['a', ''], [''], ['..']]) {
      await assert.rejects(send(ids), {
        name: 'TypeError',
        message: `Cannot fill "ids": "${ids}" is not a path segment`,
      })
    }
  })
})
