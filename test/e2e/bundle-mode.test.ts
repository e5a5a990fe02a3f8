/** Bundlers can replace `process.env.NODE_ENV`. The environment of the process decides if the console is open. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const SOURCE = `
import { createApp } from 'verbena'

const app = createApp({ routes: {}, logger: false })
const { url } = await app.listen({ port: 0 })
const { status } = await fetch(url + '/__dev__')
await app.close()
console.log(status)
`
const [OPEN, NEEDS_TOKEN, OFF] = ['200', '401', '404']

/** Response of the console by mode of the bundle and NODE_ENV of the process. */
const CONSOLES: readonly (readonly [bundled: string, real: string | undefined, status: string])[] = [
  ['development', 'production', OFF],
  ['development', 'development', OPEN],
  ['development', undefined, NEEDS_TOKEN],
  ['development', 'test', NEEDS_TOKEN],
  ['production', 'production', OFF],
  ['production', 'development', OFF],
  ['production', undefined, OFF],
  ['none', 'production', OFF],
  ['none', 'development', OPEN],
  ['none', undefined, NEEDS_TOKEN],
]

describe('the console of a bundle', () => {
  let folder = ''
  const fileOf = (bundled: string): string => join(folder, `${bundled}.mjs`)
  const bundleAs = async (bundled: string): Promise<void> => {
    const entry = join(folder, 'app.ts')
    const value = JSON.stringify(bundled)
    await build({
      ...{ entryPoints: [entry], outfile: fileOf(bundled), bundle: true, format: 'esm', platform: 'node' },
      ...{ target: 'es2022', alias: { verbena: new URL(import.meta.resolve('verbena')).pathname }, logLevel: 'error' },
      // webpack and Rspack do the same with their "mode", and some settings replace the whole object.
      define: bundled === 'none' ? {} : { 'process.env.NODE_ENV': value, 'process.env': `{"NODE_ENV":${value}}` },
    })
  }

  before(async () => {
    mkdirSync('.cache', { recursive: true })
    folder = await mkdtemp(join('.cache', 'bundle-mode-'))
    await writeFile(join(folder, 'app.ts'), SOURCE)
    await Promise.all(['development', 'production', 'none'].map(bundleAs))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const [bundled, real, status] of CONSOLES) {
    it(`is ${status} with the bundled mode ${bundled} and NODE_ENV=${real ?? ''}`, async () => {
      const { NODE_ENV: _, ...others } = process.env
      const env = real === undefined ? others : { ...others, NODE_ENV: real }
      const { stdout } = await promisify(execFile)(process.execPath, [fileOf(bundled)], { env })
      assert.equal(stdout.trim(), status)
    })
  }
})
