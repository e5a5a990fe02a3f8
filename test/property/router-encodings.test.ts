/**
 * Guarded literals beside parameters and wildcards, requested in every encoding of every character. The router matches the same endpoint
 * as a slow, simple reference router, and no spelling of a literal bypasses its guard.
 *
 * `ROUTER_SEED` repeats a run, `ROUTER_RUNS` makes it longer: `npm run test:router`.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HttpError, provide, Route, type Input } from 'verbena'
import { parseTarget } from '#src/http/target.js'
import { match } from '#src/router/match.js'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { encodeSegment, segmentKind, parseSegments, spellingOracle } from '#test/router-oracle.js'
import { lookUp, routerOf } from '../router/routes.js'

const RUNS = Number(process.env['ROUTER_RUNS'] ?? 150)
const SEED = Number(process.env['ROUTER_SEED'] ?? 20_260_101)

/** Characters of templates: letters with shared prefixes, all that `encodeURI` keeps or encodes, several Unicode forms. */
const CHARACTERS = [...'abB7~!$&\',;=:@+-_."<>` äÅé한𝒳']
/** Characters that only values may contain. */
const OF_VALUES = [...'()[]{}|^*?#%']

const isNoDots = (text: string): boolean => !/^\.{1,2}$/.test(text)
const literal = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom('secret', 'a', 'b', 'ab', '@me', 'ä', 'a b', 'a"b') },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
    },
  )
  .map((text) => text.normalize('NFC'))
  .filter((text) => isNoDots(text) && !text.startsWith(':'))
const part = fc.oneof({ weight: 3, arbitrary: literal }, { weight: 2, arbitrary: fc.constant('{}') })
const template = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([parts, isOpen]) => `/${[...parts, ...(isOpen ? ['{rest...}'] : [])].join('/')}`)
const templates = fc
  .uniqueArray(template, { minLength: 2, maxLength: 8 })
  .map((texts) => texts.map((text) => text.split('{}').reduce((before, rest, at) => `${before}{p${at}}${rest}`)))

const value = fc
  .array(fc.constantFrom(...CHARACTERS, ...OF_VALUES), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''))
  .filter(isNoDots)

/** Encoding of a segment: the encoding of each character, and the Unicode form. */
const manner = fc.record({
  form: fc.constantFrom('NFC', 'NFD'),
  ways: fc.array(fc.constantFrom('plain', 'plain', 'upper', 'lower'), { minLength: 1, maxLength: 5 }),
})

interface Manner {
  readonly form: string
  readonly ways: readonly string[]
}

/** Encodes a segment. `plain` characters stay unencoded if `isBare` allows it; some clients send more of them than URLs allow. */
function written(text: string, { form, ways }: Manner, isBare: (character: string) => boolean): string {
  return [...text.normalize(form)]
    .map((character, at) => {
      const way = ways[at % ways.length]
      if (way === 'plain' && isBare(character)) return character
      return way === 'lower' ? encodeSegment(character).toLowerCase() : encodeSegment(character)
    })
    .join('')
}

/** Whether the target parser accepts a character unencoded. `Request` encodes some of them. */
const onWire = (character: string): boolean => /[!-~]/.test(character) && !/[#%?\\]/.test(character)
const inRequest = (character: string): boolean => onWire(character) && !/["<>`{}^|[\]]/.test(character)

/** Generates decoded segments that match a template. Values of parameters include the literals of other templates. */
function pathFor(texts: readonly string[]): fc.Arbitrary<string[]> {
  const literals = texts.flatMap(parseSegments).filter((segment) => segmentKind(segment) === 'literal')
  const filled = fc.oneof(value, fc.constantFrom('x', ...literals))
  return fc.constantFrom(...texts).chain((text) =>
    fc
      .tuple(
        ...parseSegments(text).map((segment) => {
          if (segmentKind(segment) === 'wildcard') return fc.array(filled, { minLength: 1, maxLength: 3 })
          return (segmentKind(segment) === 'literal' ? fc.constant(segment) : filled).map((each) => [each])
        }),
      )
      .map((parts) => parts.flat()),
  )
}

const asked = templates.chain((texts) =>
  fc.record({
    texts: fc.constant(texts),
    paths: fc.array(fc.tuple(pathFor(texts), fc.array(manner, { minLength: 1, maxLength: 4 })), {
      minLength: 5,
      maxLength: 20,
    }),
  }),
)

const PLAIN: Manner = { form: 'NFC', ways: ['plain'] }

function pathOf([segments, manners]: [string[], Manner[]], isBare: (character: string) => boolean): string {
  return `/${segments.map((text, at) => written(text, manners[at % manners.length] ?? PLAIN, isBare)).join('/')}`
}

/** Creates an app in which templates without parameters are guarded. Every response contains its template, including 401. */
function appOf(texts: readonly string[]) {
  const routes = texts.map((text) => {
    const isOpen = text.includes('{')
    const guard = provide({ errors: [401] }, () => {
      throw new HttpError(401, text)
    })
    class Each extends Route {
      static readonly path: string = text
      static readonly get = this.contract({ uses: isOpen ? {} : { guard } })
      get({ request, params }: Input) {
        return { text, path: request.path, params }
      }
    }
    return Each
  })
  return createUntypedApp({
    routes: Object.fromEntries(routes.map((each, at) => [`Route${at}`, each])),
    openapi: false,
  })
}

async function answererOf(app: ReturnType<typeof appOf>, path: string): Promise<unknown> {
  const { status, body } = await sendRequest(app, path)
  if (status === 404) return undefined
  // Proof: the shape of the responses of `appOf`.
  const { text, detail } = body as { readonly text?: string; readonly detail?: string }
  assert.equal(status, text === undefined ? 401 : 200, path)
  return text ?? detail
}

describe('match()', () => {
  it('finds the template of the decoded segments for every spelling of a path, or nothing', () => {
    fc.assert(
      fc.property(asked, ({ texts, paths }) => {
        const router = routerOf(texts)
        for (const each of paths) {
          const target = parseTarget(pathOf(each, onWire))
          assert.ok(typeof target === 'object', String(target))
          assert.equal(match(router, target.path)?.value, spellingOracle(texts, target.path), target.path)
        }
      }),
      { numRuns: RUNS * 5, seed: SEED },
    )
  })

  it('keeps the Unicode form of values', () => {
    const router = routerOf(['/{x}', '/ä/{x}'])
    assert.deepEqual(lookUp(router, '/o%CC%88'), { value: '/{x}', params: { x: 'o\u0308' } })
    assert.equal(lookUp(router, '/a%CC%88'), undefined)
  })
})

describe('an app', () => {
  it('routes every spelling of a path to the endpoint of the path, or responds 404', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ texts, paths }) => {
        const app = appOf(texts)
        for (const each of paths) {
          const path = pathOf(each, inRequest)
          assert.equal(await answererOf(app, path), spellingOracle(texts, path), `${path} of ${texts.join(' ')}`)
        }
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  it('routes the spelling of RFC 3986 to the best template', async () => {
    const app = appOf(['/@me', '/ä b', '/{x}', '/files/secret/keys', '/files/{rest...}'])
    for (const [path, text] of [
      ['/@me', '/@me'],
      ['/%C3%A4%20b', '/ä b'],
      ['/%c3%a4%20b', '/ä b'],
      ['/%40you', '/{x}'],
      ['/files/secret/keys', '/files/secret/keys'],
      ['/files/secret/other', '/files/{rest...}'],
    ] as const) {
      assert.equal(await answererOf(app, path), text, path)
    }
  })
})
