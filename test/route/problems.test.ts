/** Declared problems of an endpoint, merged from all levels. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, provide, Route } from 'verbena'
import { mergeProblems } from '#src/route/problems.js'
import { assertSetupError, looseGroup, createUntypedApp } from '#test/apps.js'
import { findOperation } from '#test/openapi.js'
import * as z from 'zod'

const [first, second, third] = ['a', 'b', 'c'].map((key) => z.object({ [key]: z.string() }))
assert.ok(first && second && third)

describe('mergeProblems()', () => {
  it('merges arrays and objects, in order', () => {
    const said = mergeProblems([[[404, 409]], [{ 404: 'None', 400: first }]])
    assert.deepEqual(
      [...said],
      [
        [404, { words: 'None', schemas: [] }],
        [409, { words: undefined, schemas: [] }],
        [400, { words: undefined, schemas: [first] }],
      ],
    )
  })

  it('uses the nearest description and the nearest schema independently', () => {
    const said = mergeProblems([[{ 401: 'Near', 409: first }], [{ 401: second, 409: third }], [{ 401: 'Far' }]])
    assert.deepEqual(said.get(401), { words: 'Near', schemas: [second] })
    assert.deepEqual(said.get(409), { words: undefined, schemas: [first] })
  })

  it('collects the unique schemas of one level', () => {
    const said = mergeProblems([[{ 403: first }, { 403: second }, { 403: first }], [{ 403: third }]])
    assert.deepEqual(said.get(403)?.schemas, [first, second])
  })
})

describe('errors', () => {
  const Mine = z.object({ mine: z.string() }).meta({ id: 'Mine' })
  const OfClass = z.object({ ofClass: z.string() }).meta({ id: 'OfClass' })
  const Inner = z.object({ inner: z.string() }).meta({ id: 'Inner' })
  const Outer = z.object({ outer: z.string() }).meta({ id: 'Outer' })
  const OfProvider = z.object({ ofProvider: z.string() }).meta({ id: 'OfProvider' })

  class Base extends Route {
    static readonly errors: object = { 402: OfClass, 403: OfClass, 404: OfClass, 409: OfClass }
  }
  const provider = provide({ errors: { 403: OfProvider, 410: OfProvider } }, () => 1)
  class Probe extends Base {
    static readonly get = this.contract({ errors: { 409: Mine, 404: 'Not here' }, uses: { provider } })
    get() {}
    // Without a contract, too.
    put() {}
  }
  const inner = group({ errors: { 402: Inner, 410: Inner, 418: Inner }, routes: { Probe } })
  const app = createUntypedApp({ routes: { '/v1': group({ errors: { 418: Outer, 423: Outer }, routes: { inner } }) } })

  it('documents the errors of contract, class, groups and providers; the nearest overrides', () => {
    const { responses } = findOperation(app.openapi(), '/v1/probe')
    const described = Object.entries(responses).flatMap(([status, response]) => {
      const own = Object(response).content?.['application/problem+json'].schema.allOf?.[1].$ref
      return own === undefined ? [] : [`${status} ${own.slice('#/components/schemas/'.length)}`]
    })
    const near = ['402 OfClass', '403 OfClass', '404 OfClass', '409 Mine']
    assert.deepEqual(described, [...near, '410 Inner', '418 Inner', '423 Outer'])
    assert.equal(Object(responses['404']).description, 'Not here')
    const { responses: ofPut } = findOperation(app.openapi(), '/v1/probe', 'put')
    assert.ok('402' in ofPut && '423' in ofPut && !('409' in ofPut && 'Mine' in ofPut))
  })

  it('replaces the errors of a base class if a subclass declares errors', () => {
    class Sub extends Probe {
      static override readonly errors = { 451: 'Blocked' }
    }
    const { responses } = findOperation(createUntypedApp({ routes: { Sub } }).openapi(), '/sub')
    assert.ok('451' in responses && !('402' in responses))
  })

  const FLAWS: readonly unknown[] = ['404', [404, 200], { 404: 1 }, { 399: 'No error' }, { none: 'No status' }, null]
  for (const flaw of FLAWS) {
    const shown = JSON.stringify(flaw)
    it(`rejects ${shown} as errors of a class, a group and a provider`, () => {
      class Broken extends Route {
        static readonly errors = flaw
        get() {}
      }
      if (flaw !== null)
        assertSetupError(() => createUntypedApp({ routes: { Broken } }), 'ROUTE_FIELD', 'static errors', 'Broken')
      assertSetupError(() => looseGroup({ errors: flaw, routes: {} }), 'OPTION_INVALID', '[403]')
      const needs: object = { errors: flaw }
      assertSetupError(() => provide(needs, () => 1), 'OPTION_INVALID', '[403]')
    })
  }
})
