/** Bundling and minifying keep the paths of classes that are registered as an object. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Finding } from 'verbena'

const SOURCE = `
import { createApp, Route } from 'verbena'
import * as z from 'zod'

class UserProfiles extends Route {
  static readonly get = this.contract({ query: z.object({ limit: z.int() }), returns: z.object({ limit: z.int() }) })
  readonly seen = this.constructor === UserProfiles
  async get({ query }) {
    return { limit: query.limit, secret: this.seen }
  }
}
namespace Other {
  export class UserProfiles extends Route {
    get() { return 'other' }
  }
}
export const app = createApp({ routes: { UserProfiles, OtherProfiles: Other.UserProfiles }, logger: false })
export const byArray = () => createApp({ routes: [UserProfiles, Other.UserProfiles], logger: false })
export const className = UserProfiles.name
`

interface Bundle {
  readonly app: { fetch(request: Request): Promise<Response>; routes(): { path: string }[] }
  readonly byArray: () => unknown
  readonly className: string
}

async function makeBundleFolder(): Promise<string> {
  mkdirSync('.cache', { recursive: true })
  return mkdtemp(join('.cache', 'bundle-'))
}

/** Bundles `app.ts` of a folder with Verbena, and imports the bundle. */
async function bundleApp<Exports>(folder: string, minify: boolean): Promise<Exports> {
  const [entry, outfile] = [join(folder, 'app.ts'), join(folder, 'app.mjs')]
  const entryOf = (name: string): string => new URL(import.meta.resolve(name)).pathname
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, minify, format: 'esm', platform: 'node' },
    ...{ target: 'es2022', alias: { verbena: entryOf('verbena') }, logLevel: 'error' },
  })
  return import(pathToFileURL(outfile).href)
}

describe('a bundled and minified app', () => {
  let folder = ''
  let bundle: Bundle

  before(async () => {
    folder = await makeBundleFolder()
    await writeFile(join(folder, 'app.ts'), SOURCE)
    bundle = await bundleApp(folder, true)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has lost the names of its classes', () => assert.notEqual(bundle.className, 'UserProfiles'))

  it('keeps the paths of classes registered as an object', () => {
    assert.deepEqual(
      bundle.app.routes().map(({ path }) => path),
      ['/user-profiles', '/other-profiles'],
    )
  })

  it('responds as before: contract, conversion, projection', async () => {
    const response = await bundle.app.fetch(new Request('http://localhost/user-profiles?limit=7'))
    assert.deepEqual([response.status, await response.text()], [200, '{"limit":7}'])
    const other = await bundle.app.fetch(new Request('http://localhost/other-profiles'))
    assert.equal(await other.text(), 'other')
  })

  it('rejects routes in an array, because their paths would change', () => {
    assert.throws(bundle.byArray, { name: 'SetupError', code: 'ROUTE_NAME' })
  })
})

/** Two modules with a class of the same name, and one with a class without a name. */
const CLASHING = {
  'model.ts': 'export class Users { count = 1 }',
  'users.ts': `
import { Route } from 'verbena'
import { Users as Model } from './model.ts'
const model = new Model()
export class Users extends Route { get() { return model.count } }`,
  'anon.ts': `import { Route } from 'verbena'
export default class extends Route { get() {} }`,
  'app.ts': `
import { createApp } from 'verbena'
import Anonymous from './anon.ts'
import { Users } from './users.ts'
const make = (routes: object) => createApp({ routes, logger: false })
export const app = make({ Users, Anonymous })
export const byName = () => make([Users])
export const withoutName = () => make([Anonymous])`,
}

interface ClashingBundle {
  readonly app: { routes(): { path: string }[] }
  readonly byName: () => { check(): Finding[] }
  readonly withoutName: () => unknown
}

describe('a bundled app that is not minified', () => {
  let folder = ''
  let bundle: ClashingBundle

  before(async () => {
    folder = await makeBundleFolder()
    const files = Object.entries(CLASHING)
    await Promise.all(files.map(([name, code]) => writeFile(join(folder, name), code)))
    bundle = await bundleApp(folder, false)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('keeps the paths of classes registered as an object', () => {
    assert.deepEqual(
      bundle.app.routes().map(({ path }) => path),
      ['/users', '/anonymous'],
    )
  })

  it('reports a class in an array, because its path has changed', () => {
    const [finding] = bundle.byName().check()
    assert.deepEqual([finding?.code, finding?.route], ['PATH_UNPINNED', 'Users2'])
  })

  it('rejects a class without a name in an array', () => {
    assert.throws(bundle.withoutName, { name: 'SetupError', code: 'ROUTE_NAME', message: /"anon_default"/ })
  })
})
