/**
 * Guarded literals beside parameters and wildcards, asked for in every encoding of every character: what answers is what a slow and
 * plain router says, and no spelling of a literal gets past its guard.
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

/** What a template may have: letters that share prefixes, all that `encodeURI` leaves or encodes, several forms of Unicode. */
const CHARACTERS = [...'abB7~!$&\',;=:@+-_."<>` äÅé한𝒳']
/** What only a value may have. */
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

/** How a segment is written: a number for each character, and its Unicode form. */
const manner = fc.record({
  form: fc.constantFrom('NFC', 'NFD'),
  ways: fc.array(fc.constantFrom('plain', 'plain', 'upper', 'lower'), { minLength: 1, maxLength: 5 }),
})

interface Manner {
  readonly form: string
  readonly ways: readonly string[]
}

/** `plain` is as it is where a URL may have it so, and some clients send more than that as it is. */
function written(text: string, { form, ways }: Manner, isBare: (character: string) => boolean): string {
  return [...text.normalize(form)]
    .map((character, at) => {
      const way = ways[at % ways.length]
      if (way === 'plain' && isBare(character)) return character
      return way === 'lower' ? encodeSegment(character).toLowerCase() : encodeSegment(character)
    })
    .join('')
}

/** All that the parser of targets lets through; of these `Request` changes some. */
const onWire = (character: string): boolean => /[!-~]/.test(character) && !/[#%?\\]/.test(character)
const inRequest = (character: string): boolean => onWire(character) && !/["<>`{}^|[\]]/.test(character)

/** Segments that fit a template, decoded: the literals of others are values of its parameters, too. */
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

/** Templates without parameters are guarded; every answer, that of the guard too, names the template. */
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
  // Proof: the methods and the guards of `appOf` answer so.
  const { text, detail } = body as { readonly text?: string; readonly detail?: string }
  assert.equal(status, text === undefined ? 401 : 200, path)
  return text ?? detail
}

describe('match()', () => {
  it('finds for every spelling of a path what a comparison of decoded segments finds, or nothing', () => {
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

  it('gives values as they were sent, whatever their Unicode form', () => {
    const router = routerOf(['/{x}', '/ä/{x}'])
    assert.deepEqual(lookUp(router, '/o%CC%88'), { value: '/{x}', params: { x: 'o\u0308' } })
    assert.equal(lookUp(router, '/a%CC%88'), undefined)
  })
})

describe('an app', () => {
  it('answers every spelling of a path from the endpoint of the path, or with 404', async () => {
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

  it('answers the spelling that RFC 3986 asks for, from the best template', async () => {
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
