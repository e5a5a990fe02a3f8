/** The documents of the examples pass two linters with all recommended rules. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, describe, it } from 'node:test'
import { Route, type App } from 'verbena'
import * as z from 'zod'
import { usersApp } from '../../examples/users/app.js'
import { openShop } from '../../examples/users/shop.js'
import { openDatabase } from '../../examples/users/store.js'
import { troubledApp } from '../../examples/users/troubles.js'
import { findExamples } from '#test/examples.js'
import { fullApp, VERSIONS } from '#test/full-app.js'
import { validateDocument, readDocument } from '#test/openapi.js'
import { lintDocument } from '#test/openapi-linters.js'
import { filesBelow } from '#test/source.js'

const FOLDER = join('.cache', 'linted-examples', String(process.pid))

/** Packages that three examples install; their documents do not depend on them. */
const ABSENT = {
  pg: 'export default { Client: class { query() {} }, Pool: class { query() {} } }',
  '@opentelemetry/api': 'export const trace = { getTracer() {} }',
}
register(
  `data:text/javascript,${encodeURIComponent(`
  const absent = ${JSON.stringify(ABSENT)}
  export async function resolve(specifier, context, next) {
    if (!Object.hasOwn(absent, specifier)) return next(specifier, context)
    return { url: 'data:text/javascript,' + encodeURIComponent(absent[specifier]), format: 'module', shortCircuit: true }
  }
`)}`,
)

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(resolve(path)).href)
}

async function bankApp(): Promise<App> {
  const { bankApp: make } = await load('examples/postgres/app.ts')
  assert.ok(typeof make === 'function')
  return make({})
}

async function paymentsApp(): Promise<App> {
  const { paymentsApp: make } = await load('examples/payments/app.ts')
  assert.ok(typeof make === 'function')
  return make({})
}

async function tracedApp(): Promise<App> {
  const { app } = await load('examples/opentelemetry/app.ts')
  // Proof: the example says that this is its app.
  return app as App
}

const APPS: Readonly<Record<string, () => Promise<App>>> = {
  'examples/users': async () => usersApp(await openDatabase()),
  'examples/users, with its troubles': async () => troubledApp(await openDatabase(), await openShop()),
  'examples/postgres': bankApp,
  'examples/payments': paymentsApp,
  'examples/opentelemetry': tracedApp,
}

describe('OpenAPI linters', () => {
  class Bare extends Route {
    get() {}
  }

  it('report missing parts of a document', async () => {
    const found = await lintDocument(readDocument({ Bare }))
    const rules = found.map(([linter, rule]) => `${linter} ${rule}`)
    for (const rule of ['redocly operation-summary', 'redocly info-license', 'spectral operation-description']) {
      assert.ok(rules.includes(rule), `${rule} is not among ${rules.join(', ')}`)
    }
  })

  for (const [name, make] of Object.entries(APPS)) {
    it(`report nothing in the document of ${name}`, async () => {
      const app = await make()
      const versions = [
        undefined,
        ...new Set(app.routes().flatMap(({ version }) => (version === null ? [] : ['1.0.0']))),
      ]
      for (const version of versions) {
        assert.deepEqual(await lintDocument(app.openapi(version === undefined ? {} : { version })), [])
      }
    })
  }
})

describe('OpenAPI linters: all kinds of endpoints', () => {
  const errorFormat = {
    mediaType: 'application/json',
    schema: z.object({ errors: z.record(z.string(), z.array(z.string())) }),
    write: () => ({ errors: {} }),
  }
  for (const [about, options] of Object.entries({ 'problem details': {}, 'a custom error format': { errorFormat } })) {
    for (const version of VERSIONS) {
      it(`report nothing with ${about} in version ${version}`, async () => {
        const document = fullApp(options).openapi({ version })
        assert.deepEqual(await lintDocument(document), [])
        assert.deepEqual(await validateDocument(document), [])
      })
    }
  }
})

/** Examples of the docs with a complete `info` object, including `contact`. */
const full = [...filesBelow('docs', '.md'), 'README.md']
  .flatMap(findExamples)
  .filter(({ shown, run }) => run && shown.includes('contact:'))

describe('OpenAPI linters: complete examples of the documentation', () => {
  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  it('check at least one example of the documentation', () => assert.notEqual(full.length, 0))

  for (const { name, shown } of full) {
    it(`report nothing in the document of ${name}`, async () => {
      mkdirSync(FOLDER, { recursive: true })
      const file = join(FOLDER, `${name.replace(/\W+/g, '-')}.ts`)
      writeFileSync(file, `${shown}\nexport { app as linted }\n`)
      const { linted } = await load(file)
      // Proof: each of these examples calls its app so.
      assert.deepEqual(await lintDocument((linted as App).openapi()), [])
    })
  }
})
