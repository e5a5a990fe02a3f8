/** Code locations in the console of a compiled app: they refer to the source if Node reads source maps. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import ts from 'typescript'
import type { RouteList } from '#src/devconsole/wire/view-types.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { read, waitForSnapshot } from '#test/console.js'

const SOURCE = `import { createApp, Route } from 'verbena'

interface Goods {
  readonly name: string
  readonly price: number
}

type Find = (id: number) => Goods

class Orders extends Route<{ shop: { find: Find } }> {
  static readonly get = this.contract({ summary: 'Asks for its goods one by one' })

  async get(): Promise<never> {
    const goods: Goods[] = []
    for (let id = 1; id <= 6; id++) {
      goods.push(await this.shop.find(id))
    }
    throw new RangeError(\`too many: \${goods.length}\`)
  }
}

const shop: { find: Find } = { find: (id: number): Goods => ({ name: 'tea', price: id }) }
const app = createApp({ routes: { Orders }, services: { shop }, logger: false, devConsole: true })
const { port } = await app.listen()
console.log(\`listens at \${port}\`)
`

interface Compiled {
  readonly code: string
  readonly map: string
}

const COMPILERS: Readonly<Record<string, () => Promise<Compiled> | Compiled>> = {
  tsc: () => {
    const compilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      sourceMap: true,
      sourceRoot: '../src',
    }
    const { outputText, sourceMapText = '' } = ts.transpileModule(SOURCE, {
      compilerOptions,
      fileName: 'app.ts',
    })
    return { code: outputText, map: sourceMapText }
  },
  esbuild: () => {
    const where = { sourcefile: '../src/app.ts', sourcemap: 'external', minifyWhitespace: true } as const
    return transform(SOURCE, { loader: 'ts', target: 'es2022', ...where })
  },
}

/** Returns the line number in the source at which a string occurs, from 1. */
function lineOf(text: string): number {
  return SOURCE.slice(0, SOURCE.indexOf(text)).split('\n').length
}

describe('the console of a compiled app', () => {
  let folder = ''
  before(async () => {
    mkdirSync('.cache', { recursive: true })
    folder = await mkdtemp(join('.cache', 'source-maps-'))
    const library = join(folder, 'node_modules', 'verbena')
    await build({
      ...{ entryPoints: [fileURLToPath(import.meta.resolve('verbena'))], outfile: join(library, 'index.js') },
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'es2022', logLevel: 'error' },
    })
    const isModule = JSON.stringify({ type: 'module' })
    await writeFile(join(library, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }))
    await writeFile(join(folder, 'package.json'), isModule)
    for (const name of ['src', 'dist']) await mkdir(join(folder, name))
    await writeFile(join(folder, 'src', 'app.ts'), SOURCE)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Starts compiled code, sends a request that fails, and returns its record and the routes. */
  async function visit(
    t: TestContext,
    { code, map }: Compiled,
    flags: readonly string[],
  ): Promise<{ record: RequestRecord; list: RouteList }> {
    const bare = code.replace(/^\/\/# sourceMappingURL=.*$/m, '')
    await writeFile(join(folder, 'dist', 'app.js'), `${bare}\n//# sourceMappingURL=app.js.map\n`)
    await writeFile(join(folder, 'dist', 'app.js.map'), map)
    const env = { ...process.env, NODE_ENV: 'development' }
    const child = spawn(process.execPath, [...flags, 'dist/app.js'], {
      ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
    })
    const ended = once(child, 'exit')
    t.after(async () => {
      child.kill()
      await ended
    })
    let said = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text))
    while (!said.includes('\n') && child.exitCode === null)
      await Promise.race([once(child.stdout ?? child, 'data'), ended])
    const url = `http://127.0.0.1:${/listens at (\d+)/.exec(said)?.[1]}`
    assert.equal((await fetch(`${url}/orders`)).status, 500)
    const [summary] = (await waitForSnapshot(url, 1)).requests
    const record = await read<RequestRecord>(`${url}/__dev__/api/requests/${summary?.id}`)
    return { record, list: await read(`${url}/__dev__/api/routes`) }
  }

  for (const [name, compile] of Object.entries(COMPILERS)) {
    it(`shows locations and code of the source compiled by ${name}`, async (t) => {
      const { record, list } = await visit(t, await compile(), ['--enable-source-maps'])
      const { error, repeated } = record
      const file = 'src/app.ts'
      assert.deepEqual([record['code.file.path'], record['code.line.number']], [file, lineOf('static readonly get')])
      assert.deepEqual(list.routes[0]?.place, { file, line: lineOf('static readonly get') })
      const line = lineOf('throw new RangeError')
      const [frame] = error?.frames ?? []
      assert.deepEqual([frame?.file, frame?.line, frame?.kind], [file, line, 'app'])
      const { first = 0, lines = [] } = error?.source ?? {}
      assert.deepEqual([error?.source?.file, lines[line - first]], [file, SOURCE.split('\n')[line - 1]])
      assert.deepEqual(
        repeated.map(({ name: call, site }) => [call, site]),
        [['shop.find', { file, line: lineOf('await this.shop.find') }]],
      )
    })
  }

  it('shows locations of the compiled code without --enable-source-maps', async (t) => {
    const { record } = await visit(t, (await COMPILERS['esbuild']?.()) ?? assert.fail('no compiler'), [])
    assert.deepEqual([record['code.file.path'], record.error?.frames[0]?.file], ['dist/app.js', 'dist/app.js'])
    assert.equal(record.error?.source?.file, 'dist/app.js')
  })
})
