/** The cost of a response is proportional to the length of its headers, which apps copy from uploads and upstream servers. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { reply, Route, type Context } from 'verbena'
import { createUntypedApp } from '#test/apps.js'
import { assertProportion, IS_LONG, MEASURED, type Growing } from '#test/proportion.js'
import { assertAlive, formatTitle } from '#test/attack-rows.js'

const SOURCE = 'CWE-1333: matching a media type of 15 kB took 290 ms'

/** Values of about `size` bytes, which are malformed for most headers but allowed. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => 'a'.repeat(size),
  blanks: (size) => `text/plain${' '.repeat(size)}x`,
  'spaces in a parameter': (size) => `text/plain; a="${' \t'.repeat(size / 2)}/"`,
  'commas and spaces': (size) => `a${' , '.repeat(size / 3)}b`,
  names: (size) => Array.from({ length: size / 8 }, (_, at) => `n${at}`.padEnd(6, 'x')).join(', '),
  semicolons: (size) => `application/x${';'.repeat(size)}`,
  parameters: (size) => `text/html${';a=b'.repeat(size / 4)}`,
  quotes: (size) => '"'.repeat(size),
  'weak ETags': (size) => 'W/"a",'.repeat(size / 6),
  backslashes: (size) => `a;b="${'\\'.repeat(size)}`,
  suffixes: (size) => `application/a${'+json'.repeat(size / 5)}x`,
  slashes: (size) => '/'.repeat(size),
  'directives similar to no-transform': (size) => `${'no-transform x, '.repeat(size / 16)}y`,
  codings: (size) => `"${';gzip'.repeat(size / 5)}"`,
}
const READ = ['content-type', 'vary', 'cache-control', 'etag', 'link', 'set-cookie', 'last-modified'] as const
const OTHERS = [
  ...['content-language', 'content-disposition', 'location', 'retry-after', 'expires', 'access-control-allow-origin'],
  ...['www-authenticate', 'x-other'],
] as const

class Alive extends Route {
  get() {
    return 'alive'
  }
}

class LongFields extends Route {
  static readonly path = '/fields/{name}/{shape}/{size}'
  get({ params }: Context & { readonly params: Readonly<Record<string, string>> }) {
    const { name = '', shape = '', size } = params
    return reply(200, 'x'.repeat(2000), { [name]: SHAPES[decodeURIComponent(shape)]?.(Number(size)) ?? '' })
  }
}

/** Appends many short values to a header. */
class Appends extends Route {
  static readonly path = '/appends/{name}/{size}'
  get({ params, response }: Context & { readonly params: Readonly<Record<string, string>> }) {
    const { name = '', size } = params
    for (let at = 0; at < Number(size) / 20; at++) response.append(name, `a-name-of-some-${at}`)
    return 'x'.repeat(2000)
  }
}

class Tagged extends Route {
  static readonly path = '/tagged/{size}'
  get({ params }: Context & { readonly params: Readonly<Record<string, string>> }) {
    return reply(200, 'x'.repeat(2000), { etag: `"${'a'.repeat(Number(params['size']))};gzip"` })
  }
}

function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: https://a.example\r\n${headers}\r\n`
}

describe('the cost of a response with long headers', () => {
  const app = createUntypedApp({
    routes: { Alive, LongFields, Appends, Tagged },
    ...{
      compression: { types: ['text/*', 'application/*.*.*+json', '*/*+json', '*/*-*+xml'] },
      cors: { origins: ['https://a.example'] },
    },
    ...{ securityHeaders: 'api', signals: false, limits: { headerBytes: 16_000 } },
    middleware: [
      async (_context: unknown, next: () => Promise<{ with(headers: object): unknown }>) =>
        (await next()).with({ vary: 'x-a' }),
    ],
  })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(async () => {
    await assertAlive(port)
    await app.close()
  })

  const check = ({ status }: { readonly status: number }): void => assert.equal(status, 200)
  const growing = (
    targetOf: (size: number) => string,
    plain = (size: number) => `/fields/x-plain/letters/${size}`,
  ): Growing => {
    const ask = (target: string): string => get(target, 'Accept-Encoding: gzip\r\n')
    return { refused: MEASURED.map(targetOf).map(ask), taken: MEASURED.map(plain).map(ask), mostBytes: 2_000_000 }
  }

  for (const name of [...READ, ...OTHERS]) {
    for (const shape of Object.keys(SHAPES)) {
      // Verbena does not parse the other headers, so one shape is enough for them.
      if (!IS_LONG && OTHERS.some((other) => other === name) && shape !== 'spaces') continue
      it(formatTitle({ rule: `is proportional to ${name}: ${shape}`, source: SOURCE }), () =>
        assertProportion(
          port,
          growing((size) => `/fields/${name}/${encodeURIComponent(shape)}/${size}`),
          check,
        ),
      )
    }
  }

  for (const name of ['vary', 'link', 'set-cookie', 'x-other']) {
    it(formatTitle({ rule: `is proportional to the number of values appended to ${name}`, source: SOURCE }), () =>
      assertProportion(
        port,
        growing(
          (size) => `/appends/${name}/${size}`,
          (size) => `/appends/x-plain/${size}`,
        ),
        check,
      ),
    )
  }

  it(formatTitle({ rule: 'is proportional to an ETag, with a long If-None-Match', source: SOURCE }), async () => {
    const tags = `If-None-Match: ${'"aaaaaa",'.repeat(1_500)}\r\nAccept-Encoding: gzip\r\n`
    const refused = MEASURED.map((size) => get(`/tagged/${size}`, tags))
    const taken = MEASURED.map((size) => get(`/tagged/${size}`, 'Accept-Encoding: gzip\r\n'))
    await assertProportion(port, { refused, taken, mostBytes: 2_000_000 }, check)
  })
})
