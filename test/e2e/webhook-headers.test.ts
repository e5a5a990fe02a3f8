/** Headers of senders that use Standard Webhooks in other ways: `svix-*`, and lists with odd signatures. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook as Reference } from 'standardwebhooks'
import { createApp, HttpError, Route, type Input } from 'verbena'
import { signWebhook, webhook, type WebhookOptions } from 'verbena/auth'
import { assertSetupError, captureLog } from '#test/apps.js'
import { findOperation, readDocument } from '#test/openapi.js'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const BODY = '{"order":7}'
type Headers = Readonly<Record<string, string>>

const NOW = 1_614_265_330_000
const now = (): number => NOW
const standard = webhook({ secrets: [SECRET], now })
const svix = webhook({ secrets: [SECRET], headers: 'svix', now })

class Orders extends Route {
  static readonly post = this.contract({ uses: { event: standard } })
  async post({ event }: Input<typeof Orders.post>) {
    return event.id
  }
}
class Messages extends Route {
  static readonly post = this.contract({ uses: { event: svix } })
  async post({ event }: Input<typeof Messages.post>) {
    return event.id
  }
}

const details: unknown[] = []
const mapError = (error: unknown): undefined => {
  if (error instanceof HttpError) details.push([error.reason, error.detail])
}
const app = createApp({ routes: { Orders, Messages }, mapError, logger: false })

async function statusOf(path: string, headers: Headers): Promise<number> {
  details.length = 0
  return (await app.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body: BODY }))).status
}

function sign(secret = SECRET): Headers {
  return signWebhook({ id: 'msg_1', timestamp: new Date(NOW), body: BODY, secret })
}

/** Renames `webhook-*` to `svix-*`. */
function asSvix(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]))
}

describe("webhook({ headers: 'svix' })", () => {
  it('accepts svix-* headers that the reference library signs', async () => {
    const timestamp = new Date(NOW)
    const signature = new Reference(SECRET).sign('msg_1', timestamp, BODY)
    const seconds = String(Math.floor(timestamp.getTime() / 1000))
    const headers = { 'svix-id': 'msg_1', 'svix-timestamp': seconds, 'svix-signature': signature }
    assert.equal(await statusOf('/messages', headers), 200)
  })

  it('ignores webhook-* headers, and a standard webhook ignores svix-* headers', async () => {
    assert.equal(await statusOf('/messages', sign()), 401)
    assert.deepEqual(details, [['missing', 'Send the headers svix-id, svix-timestamp and svix-signature']])
    assert.equal(await statusOf('/orders', asSvix(sign())), 401)
    assert.deepEqual(details, [['missing', 'Send the headers webhook-id, webhook-timestamp and webhook-signature']])
    assert.equal(await statusOf('/messages', { ...sign(), ...asSvix(sign(OTHER)) }), 401)
    assert.equal(await statusOf('/orders', { ...sign(OTHER), ...asSvix(sign()) }), 401)
    assert.equal(await statusOf('/messages', { ...sign(), 'svix-id': 'msg_1' }), 401)
  })

  it('names its headers in details and in the OpenAPI document', async () => {
    const signed = asSvix(sign())
    for (const [name, value] of [
      ['svix-id', 'a.b'],
      ['svix-timestamp', 'now'],
      ['svix-signature', 'x'],
    ] as const) {
      assert.equal(await statusOf('/messages', { ...signed, [name]: value }), 401)
      assert.match(String(details), new RegExp(`^malformed,${name} must`))
    }
    const { parameters = [] } = findOperation(readDocument({ Messages }), '/messages', 'post')
    assert.deepEqual(
      parameters.map(({ name, required }) => [name, required]),
      [
        ['svix-id', true],
        ['svix-timestamp', true],
        ['svix-signature', true],
      ],
    )
  })

  it('hides svix-signature in the log', async () => {
    const { logger, lines } = captureLog()
    class Logged extends Route {
      async post({ log, request }: Input) {
        log.info(request.headers, 'Received')
      }
    }
    const logging = createApp({ routes: { Logged }, logger })
    const headers = asSvix(sign())
    await logging.fetch(new Request('http://localhost/logged', { method: 'POST', headers }))
    assert.doesNotMatch(JSON.stringify(lines), new RegExp(headers['svix-signature']?.slice(3, 20) ?? '^'))
  })

  it('throws a setup error for other headers', () => {
    // Proof: the type forbids this value, and the test checks the error at run time.
    const options = { secrets: [SECRET], headers: 'both' } as unknown as WebhookOptions
    assertSetupError(
      () => webhook(options),
      'OPTION_INVALID',
      /"headers" of webhook\(\): it must be 'webhook' or 'svix', not "both"/,
    )
  })
})

describe('webhook(): lists of signatures', () => {
  const valid = sign()['webhook-signature'] ?? ''
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`
  const tenth = [...Array.from({ length: 9 }, () => wrong), valid]
  const statusWith = (list: string): Promise<number> => statusOf('/orders', { ...sign(), 'webhook-signature': list })

  it('accepts a valid signature of version v1 beside anything else', async () => {
    const odd = ['garbage', 'v1', 'v1,', ',', 'v1,ä', 'v1=abc', 'v1a,abc', 'v2,x', '', `${wrong},`, 'v1,a,b', '"v1,x"']
    for (const each of odd) {
      const lists = [`${each} ${valid}`, `${valid} ${each}`, `${each} ${each} ${valid} ${each}`]
      for (const list of lists) assert.equal(await statusWith(list), 200, list)
    }
  })

  it('accepts a header that a proxy or the sender has repeated', async () => {
    assert.equal(await statusWith(`${wrong}, ${valid}`), 200)
  })

  it('compares at most ten signatures of version v1', async () => {
    const others = Array.from({ length: 100 }, () => 'v2,x')
    assert.equal(await statusWith(tenth.join(' ')), 200)
    assert.equal(await statusWith([...others, ...tenth].join(' ')), 200)
    assert.equal(await statusWith([wrong, ...tenth].join(' ')), 401)
    assert.deepEqual(details, [['rejected', 'The webhook is not signed with a known secret']])
  })

  it('rejects a valid signature that is only a part of an element', async () => {
    const parts = [
      `x${valid}`,
      `${valid}x`,
      `v1,${valid}`,
      `"${valid}"`,
      `${valid},`,
      valid.slice(3),
      `V${valid.slice(1)}`,
    ]
    for (const list of parts) assert.equal(await statusWith(list), 401, list)
  })
})
