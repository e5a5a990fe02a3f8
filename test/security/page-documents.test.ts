/** Documents of attackers: their text stays text, and they cost a bounded time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatTitle } from '#test/attack-rows.js'
import { COMPLETE } from '#test/complete-document.js'
import { renderPage } from '#test/reference.js'

const MARKUP = `"'><img src=x onerror=alert(1)></script></style><!--<svg onload=alert(2)>javascript:alert(3)`
const PATIENCE = 20_000
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const get = (schema: unknown) => ({ get: { responses: { 200: { content: { 'application/json': { schema } } } } } })

/** Adds markup to every key and text of a document, except to the words of OpenAPI that lead to other parts. */
function poison(value: unknown, isName = false): unknown {
  if (typeof value === 'string')
    return /^(?:#\/|https?:|path$|query$|header$|http$|apiKey$|oauth2$|object$|array$)/.test(value)
      ? value
      : `${value}${MARKUP}`
  if (Array.isArray(value)) return value.map((item) => poison(item))
  if (typeof value !== 'object' || value === null) return value
  const areNames = (key: string) =>
    ['properties', 'paths', 'schemas', 'securitySchemes', 'content', 'headers', 'scopes'].includes(key)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [isName ? key + MARKUP : key, poison(member, areNames(key))]),
  )
}

/** Asserts that a page is created within a bounded time and size. */
function assertBounded(document: Record<string, unknown>, maxLength = 40_000_000): void {
  const start = performance.now()
  const { length } = renderPage(document, { hasClient: true })
  const time = performance.now() - start
  assert.ok(time < PATIENCE, `${time} ms`)
  assert.ok(length < maxLength, `${length} characters`)
}

describe('referencePage(): hostile documents', () => {
  it(
    formatTitle({ rule: 'escapes markup in every text and name', source: 'OWASP XSS Prevention Cheat Sheet, rule 1' }),
    () => {
      const page = renderPage(
        { ...Object(poison(COMPLETE)), servers: [{ url: `${'javascript'}:alert(1)` }] },
        { hasClient: true },
      )
      const rest = page
        .replace(/<meta http-equiv[^>]*>/, '')
        .replace(/<style>[^]*?<\/style>/, '')
        .replace(/<script>[^]*?<\/script>/, '')
      assert.ok(rest.split('onerror=alert(1)').length > 50)
      assert.doesNotMatch(rest, /<(?:img|svg|script|style|!--)/)
      const allowed =
        /^<\/?(?:[a-z0-9]+)(?: (?:class|id|href|lang|name|content|charset|type|role|aria-[a-z]+|tabindex|rel|placeholder|autocomplete|spellcheck|hidden|data-served)(?:="[^"<>]*"|=[a-z]+)?)*>$/
      const tags = rest.match(/<[^>]*>/g) ?? []
      assert.deepEqual(
        tags.filter((tag) => tag !== '<!doctype html>' && !allowed.test(tag)),
        [],
      )
      assert.deepEqual(
        [...rest.matchAll(/href="([^"]*)"/g)].filter(([, href = '']) => !/^#|^data:,$/.test(href)),
        [],
      )
    },
  )

  it(formatTitle({ rule: 'limits schemas of 50 levels, and recursive unions', source: 'CWE-674' }), () => {
    const deep = Array.from({ length: 50 }).reduce<object>(
      (inner) => ({ type: 'object', properties: { a: inner, b: { anyOf: [inner, inner] } } }),
      {},
    )
    const names = Array.from({ length: 20 }, (_, index) => `Node${index}`)
    const union = {
      anyOf: names.map(ref),
      properties: Object.fromEntries(names.map((name) => [name, { oneOf: names.map(ref) }])),
    }
    const schemas = { ...Object.fromEntries(names.map((name) => [name, union])), Deep: deep }
    const paths = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`/${index}`, get(index % 2 === 0 ? deep : ref('Node1'))]),
    )
    assertBounded({ paths, components: { schemas } }, 8_000_000)
  })

  it(formatTitle({ rule: 'accepts schemas that are nested deeper than the stack', source: 'CWE-674' }), () => {
    const depth = 100_000
    const schema: unknown = JSON.parse(`${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`)
    assertBounded({ paths: { '/a': get(schema) }, components: { schemas: { A: schema } } }, 100_000)
    const objects: unknown = JSON.parse(`${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`)
    assertBounded({ paths: { '/a': get(objects) } }, 100_000)
  })

  it(
    formatTitle({
      rule: 'limits documents of 10 MB whose operations refer to the same large schema',
      source: 'CWE-400',
    }),
    () => {
      const wide = {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 100_000 }, (_, index) => [
            `property${index}`,
            { type: 'string', description: 'x'.repeat(40) },
          ]),
        ),
      }
      const enumeration = { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) }
      const schemas = {
        Wide: wide,
        Enumeration: enumeration,
        Both: { allOf: [ref('Wide'), ref('Wide')], anyOf: [ref('Wide'), ref('Enumeration')] },
      }
      const inline = { properties: { a: ref('Wide'), b: ref('Both'), c: ref('Enumeration') } }
      for (const count of [100, 2_000]) {
        const paths = Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`/${index}`, get(index % 2 === 0 ? inline : ref('Both'))]),
        )
        assertBounded({ paths, components: { schemas } })
      }
    },
  )

  it(formatTitle({ rule: 'limits the length of the page', source: 'CWE-400' }), () => {
    const description = 'word '.repeat(2_000)
    const paths = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, index) => [`/${index}`, { get: { description } }]),
    )
    const page = renderPage({ paths })
    assert.ok(page.length < 36_000_000, String(page.length))
    assert.match(page, /The document is too long for one page\. Read the rest in the document itself\.<\/p><\/main>/)
  })
})
