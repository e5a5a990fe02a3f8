/** Decorators have the same effect in any order and in any place. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, decorator, HttpError, Route, type EndpointDecorator } from 'verbena'
import { deprecated, log, speed, version } from 'verbena/decorators'
import { sendRequest, captureLog } from '#test/apps.js'

type Five<T> = readonly [T, T, T, T, T]

const trail: string[] = []

const audit = decorator((action: string) => ({
  around(_input, proceed, { method }) {
    trail.push(`${action} ${method}`)
    return proceed()
  },
  meta: { owner: action },
  errors: [409],
}))

const DECORATORS: Five<EndpointDecorator> = [
  log({ level: 'debug', args: true, result: true }),
  version('>=1.2.0'),
  speed,
  deprecated({ since: '2026-01-31', sunset: '2999-01-01', link: '/news' }),
  audit('read'),
]

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((each, at) => permutations(list.toSpliced(at, 1)).map((rest) => [each, ...rest]))
}

/** Returns a class for each place of decorators: method, contract, class, and a mix. */
function routesWith(list: readonly EndpointDecorator[]): Readonly<Record<string, new () => object>> {
  // Proof: a permutation has the same length as its list.
  const [a, b, c, d, e] = list as Five<EndpointDecorator>
  class OnMethod extends Route {
    static readonly path = '/users'
    @a @b @c @d @e get() {
      return { id: '7', token: 't' }
    }
    @a @b @c @d @e post() {
      throw new HttpError(409, 'taken')
    }
  }
  class Plain extends Route {
    static readonly path = '/users'
    get() {
      return { id: '7', token: 't' }
    }
    post() {
      throw new HttpError(409, 'taken')
    }
  }
  class InContract extends Plain {
    static readonly get = this.contract({ decorators: list, meta: {} })
    static readonly post = this.contract({ decorators: list })
    override get() {
      return super.get()
    }
    override post() {
      return super.post()
    }
  }
  class OfClass extends Plain {
    static readonly decorators = list
  }
  class Mixed extends Plain {
    static readonly decorators = [a, b]
    static readonly get = this.contract({ decorators: [c, d] })
    static readonly post = this.contract({ decorators: [c, d] })
    @e override get() {
      return super.get()
    }
    @e override post() {
      return super.post()
    }
  }
  return { OnMethod, InContract, OfClass, Mixed }
}

type Answered = readonly [method: string, version: string | undefined]

const REQUESTS: readonly Answered[] = [
  ['GET', '1.4'],
  ['POST', undefined],
  ['GET', '1.0'],
  ['GET', 'one'],
]

const FIELDS = ['deprecation', 'sunset', 'link', 'vary', 'api-version', 'content-type']

/** Returns responses, log lines and metrics, without values that differ for each request. */
async function seenOf(Users: new () => object): Promise<unknown> {
  const { logger, lines } = captureLog()
  const app = createApp({ routes: { Users: Object(Users) }, logger, version: '2.0.0' })
  const answers: unknown[] = []
  for (const [method, asked] of REQUESTS) {
    const headers: Record<string, string> = asked === undefined ? {} : { 'accept-version': asked }
    const { status, body, headers: fields } = await sendRequest(app, '/users', { method, headers })
    const timing = fields.get('server-timing')?.replace(/[\d.]+$/, 'ms')
    answers.push([status, { ...Object(body), requestId: '' }, FIELDS.map((name) => fields.get(name)), timing])
  }
  const shown = JSON.stringify(lines.map(({ level, message, fields }) => [level, message, { ...fields, duration: 0 }]))
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId":""')
    // The input of a method has a query only if the method has no contract.
    .replaceAll(/,"query":\{\}|,"body":null/g, '')
  const calls = app.metrics().endpoints.map(({ method, count }) => [method, count])
  return { answers, lines: JSON.parse(shown), calls, trail: trail.splice(0) }
}

describe('order and place of decorators', () => {
  const orders = permutations(DECORATORS)

  it('has 120 permutations', () => assert.equal(orders.length, 5 * 4 * 3 * 2))

  it('applies all five decorators', async () => {
    const { OnMethod } = routesWith(DECORATORS)
    const seen = Object(await seenOf(OnMethod ?? assert.fail('no class')))
    assert.deepEqual(
      seen.answers.map(([status]: readonly unknown[]) => status),
      [200, 409, 406, 400],
    )
    const [fine] = seen.answers
    assert.deepEqual(fine.slice(2), [
      [
        '@1769817600',
        'Tue, 01 Jan 2999 00:00:00 GMT',
        '</news>; rel="deprecation", </news>; rel="sunset"',
        ...['accept-version', '1.4.0', 'application/json'],
      ],
      'app;dur=ms',
    ])
    assert.deepEqual(seen.trail, ['read GET', 'read POST'])
    assert.deepEqual(
      seen.lines.map(([level, message]: readonly unknown[]) => [level, message]),
      [
        ['debug', 'GET /users 200'],
        ['debug', 'POST /users 409'],
      ],
    )
    assert.deepEqual(seen.lines[0][2].result, { id: '7', token: 'redacted' })
  })

  for (const place of ['OnMethod', 'InContract', 'OfClass', 'Mixed']) {
    it(`does not matter in any permutation: ${place}`, async () => {
      const { OnMethod } = routesWith(DECORATORS)
      const expected = await seenOf(OnMethod ?? assert.fail('no class'))
      for (const order of orders) {
        const Users = routesWith(order)[place] ?? assert.fail('no class')
        assert.deepEqual(await seenOf(Users), expected, order.map((each) => DECORATORS.indexOf(each)).join(' '))
      }
    })
  }
})
