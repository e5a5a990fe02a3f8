/** `verbena explain`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'

async function explain(...args: string[]) {
  const { code, out, err } = await verbena(['explain', 'app.ts', ...args, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

function names(steps: readonly { readonly name: string }[]): string[] {
  return steps.map(({ name }) => name)
}

describe('verbena explain', () => {
  it('shows the endpoint, the steps with statuses and places, and the steps that are left out', async () => {
    const { code, out } = await verbena(['explain', 'app.ts', 'GET', '/users'])
    assert.equal(code, 0)
    assert.match(
      out,
      /^GET \/users\n {2}\/users {2}Users\.get {2}app\.ts:19\n\nROUTE\n {2}head +400 414 417 431 501 505 {2}\S+:\d+\n/,
    )
    assert.match(out, /\n {2}endpoint +400 404 405 501 {2}/)
    assert.match(out, /\n {2}middleware +any +\S+\n {4}slow +app\.ts:8\n/)
    assert.match(out, /\n {2}guards +401 403 422, any +\S+\n {4}user +\S+\n/)
    assert.match(out, /\n {2}method +any, 503 +\S+\n {4}Users\.get +app\.ts:19\n/)
    assert.match(out, /\n\nLEFT OUT\n {2}preflight +only for preflights\n/)
    assert.match(out, /\n {2}request id +only with requestId\n$/)
  })

  it('lists each step either as used or as left out', async () => {
    const { steps, leftOut } = await explain('GET', '/users')
    const all = [...names(steps), ...names(leftOut)]
    assert.deepEqual([all.length, new Set(all).size], [34, 34])
    assert.deepEqual(names(steps).slice(0, 8), [
      ...['head', 'endpoint', 'pipeline', 'middleware', 'accept', 'guards', 'validation', 'providers'],
    ])
  })

  it('shows parameters, and the class of a guard as the function that runs', async () => {
    const { endpoint, params, steps } = await explain('DELETE', '/users/a%20b')
    assert.deepEqual([endpoint.class, params], ['UserById', { id: 'a b' }])
    const guards = steps.find(({ name }: { name: string }) => name === 'guards')
    assert.deepEqual(guards.calls[1], { name: 'role', at: { file: 'app.ts', line: 7 } })
  })

  it('selects the version that the headers request', async () => {
    const { endpoint, version, steps } = await explain(
      'GET',
      '/prices',
      '-H',
      'Accept-Version: 1.0',
      '-H',
      'API-Version: 2.1',
    )
    assert.deepEqual([endpoint.class, version], ['PricesV2', '2.1.0'])
    assert.equal(steps[1].answers, '400 404 405 406 501')
  })

  it('shows the statuses that providers declare, such as 412 and 428 of a precondition', async () => {
    const { out } = await verbena(['explain', 'preconditions.ts', 'PUT', '/doc'])
    assert.match(out, /\n {2}guards +401 403 404 412 422 428 429, any +\S+\n {4}limit /)
    assert.match(out, /\n {2}providers +409, any +\S+\n {4}stock /)
    const read = await verbena(['explain', 'preconditions.ts', 'GET', '/doc'])
    assert.match(read.out, /\n {2}guards +401 403 404 422 429, any /)
  })

  it('shows the error of a request that no endpoint handles', async () => {
    const { endpoint, failure, steps } = await explain('PUT', '/prices')
    assert.deepEqual([endpoint, failure.status, names(steps).includes('method')], [null, 405, false])
    const { out } = await verbena(['explain', 'app.ts', 'GET', '/none'])
    assert.match(out, /^GET \/none\n {2}404 No resource matches this path\n/)
  })

  it('shows the error of a malformed path', async () => {
    const { failure } = await explain('GET', '/users/%00')
    assert.equal(failure.status, 400)
  })

  it('shows the steps of a preflight', async () => {
    const given = ['explain', 'app.ts', 'OPTIONS', '/users', '-H', 'Origin: https://a.example']
    const { out } = await verbena([...given, '-H', 'Access-Control-Request-Method: GET'])
    assert.match(out, /^OPTIONS \/users\n {2}no endpoint: Verbena responds by itself\n/)
    assert.match(out, /\nREQUEST\n {2}preflight {2}/)
  })

  it('shows the error pipeline of an endpoint whose path parameter is invalid', async () => {
    const { out } = await verbena(['explain', 'corners.ts', 'GET', '/folder/a%2Fb'])
    assert.match(out, /^GET \/folder\/a%2Fb\n {2}400 /)
    assert.doesNotMatch(out, /\n {2}method {2,}any/)
  })

  it('shows any other error as 500', async () => {
    const { out } = await verbena(['explain', 'corners.ts', 'GET', '/later'])
    assert.match(out, /^GET \/later\n {2}500 RangeError: no version\n/)
  })

  it('shows the version and the parameters', async () => {
    const { out } = await verbena(['explain', 'app.ts', 'GET', '/prices'])
    assert.match(out, /^GET \/prices\n {2}\/prices {2}PricesV1\.get {2}app\.ts:44\n {2}version 1\.0\.0\n/)
    const deleted = await verbena(['explain', 'app.ts', 'DELETE', '/users/1'])
    assert.match(deleted.out, /\n {2}id = "1"\n/)
  })

  const FLAWS: readonly (readonly [given: readonly string[], message: RegExp])[] = [
    [['GET', 'users'], /^Cannot explain "users": a path begins with "\/"/],
    [['GET', '/users', '-H', 'Accept'], /^Cannot use the header "Accept": it has no colon/],
    [['TRACE', '/users'], /^Cannot explain "TRACE \/users": /],
    [['GET', '/users', '-H', 'A b: c'], /^Cannot explain "GET \/users": /],
  ]

  for (const [given, message] of FLAWS) {
    it(`rejects ${given.join(' ')}`, async () => {
      const { code, out, err } = await verbena(['explain', 'app.ts', ...given])
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    })
  }
})
