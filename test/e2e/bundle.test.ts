/** Bundling and minifying keeps the paths of classes that are registered as an object. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

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

describe('a bundled and minified app', () => {
  let folder = ''
  let bundle: Bundle

  before(async () => {
    mkdirSync('.cache', { recursive: true })
    folder = await mkdtemp(join('.cache', 'bundle-'))
    const [entry, outfile] = [join(folder, 'app.ts'), join(folder, 'app.mjs')]
    await writeFile(entry, SOURCE)
    const entryOf = (name: string): string => new URL(import.meta.resolve(name)).pathname
    await build({
      ...{ entryPoints: [entry], outfile, bundle: true, minify: true, format: 'esm', platform: 'node' },
      ...{ target: 'es2022', alias: { verbena: entryOf('verbena') }, logLevel: 'error' },
    })
    bundle = await import(pathToFileURL(outfile).href)
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
