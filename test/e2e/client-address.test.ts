/** `request.ip` in a test app: loopback by default, and an address of the test's choice. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, SetupError, type Input } from 'verbena'
import { rateLimit } from 'verbena/limits'
import { invoke, testApp, type TestOptions } from 'verbena/testing'

class Address extends Route {
  static readonly get = this.contract({})
  async get({ request }: Input<typeof Address.get>) {
    return request.ip
  }
}

function addressApp(trustProxy: string[] = []) {
  return createApp({ routes: { Address }, logger: false, trustProxy })
}

/** Returns the address that the method reads. */
async function seenAddress(options: TestOptions = {}, peer?: { ip?: string }): Promise<string> {
  await using test = await testApp(addressApp(), options)
  const response = await test.fetch('/address', {}, peer)
  return response.text()
}

describe('testApp(): request.ip', () => {
  it('is 127.0.0.1 by default, for fetch and for the typed client', async () => {
    await using test = await testApp(addressApp())
    assert.equal(await (await test.fetch('/address')).text(), '127.0.0.1')
    assert.equal((await test.api('/address').get()).body, '127.0.0.1')
  })

  it('is the address of the options, for fetch and for the typed client', async () => {
    await using test = await testApp(addressApp(), { ip: '203.0.113.9' })
    assert.equal(await (await test.fetch('/address')).text(), '203.0.113.9')
    assert.equal((await test.api('/address').get()).body, '203.0.113.9')
  })

  it('is the address of a request, which has precedence and does not affect the next request', async () => {
    await using test = await testApp(addressApp(), { ip: '203.0.113.9' })
    const answers = [
      await test.fetch('/address', undefined, { ip: '2001:db8::1' }),
      await test.fetch(new Request('http://localhost/address'), {}, { ip: '203.0.113.10' }),
      await test.fetch('/address', {}, {}),
    ]
    const seen = await Promise.all(answers.map((answer) => answer.text()))
    assert.deepEqual(seen, ['2001:db8::1', '203.0.113.10', '203.0.113.9'])
  })

  it('can be empty, as on a Unix socket', async () => {
    assert.equal(await seenAddress({ ip: '' }), '')
    assert.equal(await seenAddress({}, { ip: '' }), '')
  })

  it('must be an address', async () => {
    const isInvalid = (error: unknown) =>
      error instanceof SetupError &&
      error.code === 'OPTION_INVALID' &&
      /"ip" .* it must be an IP address.*, not "localhost"/.test(error.message)
    await assert.rejects(seenAddress({ ip: 'localhost' }), isInvalid)
    await assert.rejects(seenAddress({}, { ip: 'localhost' }), isInvalid)
    await assert.rejects(seenAddress({ ip: '10.0.0.0/8' }), /it must be an IP address.*, not "10\.0\.0\.0\/8"/)
  })

  it('rejects another option of a request', async () => {
    await using test = await testApp(addressApp())
    // @ts-expect-error - `address` is not an option.
    await assert.rejects(test.fetch('/address', {}, { address: '::1' }), /Cannot use the option "address" of fetch\(\)/)
  })

  it('decides whether forwarding headers are trusted', async () => {
    await using test = await testApp(addressApp(['10.0.0.0/8']))
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    assert.equal(await (await test.fetch('/address', { headers })).text(), '127.0.0.1')
    assert.equal(await (await test.fetch('/address', { headers }, { ip: '10.1.2.3' })).text(), '203.0.113.1')
  })

  it('counts requests of different addresses separately in a limit', async () => {
    const few = rateLimit({ by: ({ request }) => request.ip, limit: 1, window: 60_000 })
    class Home extends Route {
      static readonly get = this.contract({ uses: { few } })
      async get() {
        return 'here'
      }
    }
    await using test = await testApp(createApp({ routes: { Home }, logger: false }))
    const statuses: number[] = []
    for (const ip of [undefined, undefined, '203.0.113.9', '203.0.113.9'])
      statuses.push((await test.fetch('/home', {}, ip === undefined ? {} : { ip })).status)
    assert.deepEqual(statuses, [200, 429, 200, 429])
  })

  it('stays empty in app.fetch, which has no peer', async () => {
    const response = await addressApp().fetch(new Request('http://localhost/address'))
    assert.equal(await response.text(), '')
  })
})

describe('invoke(): request.ip', () => {
  it('is 127.0.0.1', async () => {
    assert.equal(await invoke(Address, 'get'), '127.0.0.1')
  })
})
