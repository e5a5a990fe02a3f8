/** `verbena new`: the files of a project, their proofs, the name of its package, and rejected folders. `scripts/package.mjs` runs the projects. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { check, getFileInfo, resolveConfig } from 'prettier'
import { readAgentsFile } from '#src/cli/agents/agents-file.js'
import { createBlock } from '#src/cli/agents/block.js'
import { CommandError, EXIT, parseCommand } from '#src/cli/command.js'
import { newProject } from '#src/cli/new.js'
import { VALIDATORS } from '#src/cli/new/validators.js'
import { run as runNode, verbena } from '#test/command-line.js'
import { createDirectory } from '#test/temp-directory.js'

const FILES = [
  'src/app.ts',
  'src/server.ts',
  'test/app.test.ts',
  'test/authorization.test.ts',
  'test/tasks.test.ts',
  'authorization.txt',
  'surface.txt',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'pnpm-workspace.yaml',
  '.yarnrc.yml',
  'README.md',
  'AGENTS.md',
  '.gitignore',
  '.gitattributes',
]
const OWN: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const PAGES = 'https://github.com/verbena-framework/verbena'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly private: boolean
  readonly engines: Readonly<Record<string, string>>
  readonly files: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Runs the command and returns its output. */
async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = []
  const code = await newProject.run(parseCommand(newProject, args), {
    width: 120,
    style: (_style, text) => text,
    print: async (text) => void printed.push(text),
    warn: () => assert.fail('the command has no warnings'),
  })
  assert.equal(code, EXIT.fine)
  return printed.join('\n')
}

async function create(folder: string, ...args: readonly string[]): Promise<Manifest> {
  await run(folder, ...args)
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Returns the path of a folder that does not exist. */
function newFolder(name = 'shop'): string {
  return join(createDirectory({}), name)
}

function findLinks(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

describe('verbena new', () => {
  it('writes the files of a project', async () => {
    const folder = newFolder()
    await run(folder)
    const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    assert.equal(written.length, FILES.length)
    assert.deepEqual(
      FILES.filter((path) => !existsSync(join(folder, path))),
      [],
    )
  })

  for (const validator of VALIDATORS.keys()) {
    it(`writes files for ${validator} that prettier does not change`, async () => {
      const folder = newFolder()
      await run(folder, '--validator', validator)
      const style = await resolveConfig(join(folder, 'package.json'))
      const changed: string[] = []
      for (const path of FILES) {
        const { inferredParser } = await getFileInfo(join(folder, path))
        const isFormatted =
          inferredParser === null ||
          (await check(readFileSync(join(folder, path), 'utf8'), { ...style, parser: inferredParser }))
        if (!isFormatted) changed.push(path)
      }
      assert.equal(style?.semi, false)
      assert.deepEqual(changed, [])
    })

    it(`lists ${validator} and the versions that this checkout tests`, async () => {
      const { dependencies, devDependencies } = await create(newFolder(), '--validator', validator)
      const { verbena, ...others } = dependencies
      assert.equal(verbena, `^${OWN.version}`)
      assert.ok(validator in others)
      const all = { ...others, ...devDependencies }
      const tested = Object.keys(all).map((name) => [name, `^${OWN.devDependencies[name]}`])
      assert.deepEqual(all, Object.fromEntries(tested))
    })
  }

  it('uses zod by default', async () => {
    const { dependencies } = await create(newFolder())
    assert.deepEqual(Object.keys(dependencies), ['verbena', 'zod'])
  })

  it('supports the same versions of Node.js as Verbena', async () => {
    const { engines, type, private: isPrivate } = await create(newFolder())
    assert.deepEqual([engines, type, isPrivate], [OWN.engines, 'module', true])
  })

  it('names the app after its package', async () => {
    const folder = newFolder('My Shop')
    await run(folder)
    assert.match(readFileSync(join(folder, 'src/app.ts'), 'utf8'), /^ {2}name: 'my-shop',$/m)
    assert.match(readFileSync(join(folder, 'README.md'), 'utf8'), /^# my-shop\n/)
  })

  it('describes each script in the README', async () => {
    const folder = newFolder()
    const { scripts } = await create(folder)
    const described = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| `npm (?:run )?(\w+)`/gm)]
    assert.deepEqual(described.map(([, name]) => name).toSorted(), Object.keys(scripts).toSorted())
  })

  it('links only to pages that exist', async () => {
    const folder = newFolder()
    await run(folder)
    const links = findLinks(readFileSync(join(folder, 'README.md'), 'utf8'))
    const broken = links.filter((link) => {
      const packed = 'node_modules/verbena/'
      return link !== `${PAGES}#readme` && !(link.startsWith(packed) && existsSync(link.slice(packed.length)))
    })
    assert.ok(links.length > 5)
    assert.deepEqual(broken, [])
  })

  it('writes rules of the project and the block of verbena agents into AGENTS.md, each once', async () => {
    const folder = newFolder()
    await run(folder)
    const text = readFileSync(join(folder, 'AGENTS.md'), 'utf8')
    const block = createBlock().text
    const [rules = '', rest] = text.split(block)
    assert.equal(rest, '\n')
    assert.match(rules, /^# Rules for coding agents\n[^]*`authorization\.txt`[^]*\n- Imports end in `\.js`\. [^]*\n\n$/)
    const items = [...text.matchAll(/^- .*$/gm)].map(([item]) => item)
    assert.equal(new Set(items).size, items.length)
    assert.doesNotMatch(rules, /^\||how-to|res\.json|verbena routes/m)
    const before = process.cwd()
    process.chdir(folder)
    try {
      assert.equal(readAgentsFile().block, block)
    } finally {
      process.chdir(before)
    }
  })

  it('prints the next steps and the addresses', async () => {
    const folder = newFolder()
    const printed = await run(folder)
    assert.ok(printed.startsWith(`Created shop in ${folder}\n`), printed)
    assert.ok(printed.includes(`\n  cd ${folder}\n  npm install\n  npm run dev\n`), printed)
    assert.match(printed, /http:\/\/127\.0\.0\.1:3000\/tasks .*\n.*\/openapi\.json .*\n.*\/__dev__ /)
  })

  it('quotes a path with spaces and quotes in the next steps', async () => {
    const printed = await run(newFolder("Ada's shop"))
    assert.match(printed, /\n {2}cd '\S+Ada'\\''s shop'\n/)
  })
})

describe('verbena new --json', () => {
  it('prints the folder, the name, the validator, the files and the next steps', async () => {
    const folder = newFolder()
    const printed: unknown = JSON.parse(await run(folder, '--json', '--validator', 'arktype'))
    assert.deepEqual(printed, {
      folder,
      name: 'shop',
      validator: 'arktype',
      files: FILES,
      next: [`cd ${folder}`, 'npm install', 'npm run dev'],
    })
  })
})

describe('verbena new: the folder', () => {
  it('may be the current one', async (t) => {
    const parent = createDirectory({ 'shop/.git/HEAD': '' })
    const before = process.cwd()
    process.chdir(join(parent, 'shop'))
    t.after(() => process.chdir(before))
    const { next, name } = JSON.parse(await run('.', '--json'))
    assert.deepEqual([name, next], ['shop', ['npm install', 'npm run dev']])
  })

  it('may be a new repository', async () => {
    const folder = createDirectory({ '.git/HEAD': 'ref: refs/heads/main\n' })
    await run(folder)
    assert.ok(existsSync(join(folder, 'src/app.ts')))
  })

  for (const [files, state] of [
    [{ 'a.txt': 'text' }, /the folder is not empty, it contains "a\.txt"\. Name a new folder$/],
    [
      { 'a.txt': 'text', b: '', c: '' },
      /the folder is not empty, it contains "a\.txt" and 2 more\. Name a new folder$/,
    ],
  ] as const) {
    it(`must not contain ${Object.keys(files).join(', ')}`, async () => {
      const folder = createDirectory(files)
      await assert.rejects(run(folder), (error) => error instanceof CommandError && state.test(error.message))
      assert.deepEqual(readdirSync(folder), Object.keys(files))
    })
  }

  it('must not be a file', async () => {
    const path = join(createDirectory({ shop: 'text' }), 'shop')
    const message = `Cannot create a project in "${path}": a file has this name. Name a new folder`
    await assert.rejects(run(path), new CommandError(message))
    assert.equal(readFileSync(path, 'utf8'), 'text')
  })

  it('must not be inside a file', async () => {
    const path = join(createDirectory({ shop: 'text' }), 'shop/api')
    await assert.rejects(run(path), (error) => error instanceof CommandError && /: ENOTDIR/.test(error.message))
  })

  it('must have a name', async () => {
    await assert.rejects(run(''), /^Error: Cannot create a project: <dir> is empty\. Name a folder, such as "my-api"$/)
  })
})

describe('verbena new --validator', () => {
  it('rejects another library, and creates nothing', async () => {
    const folder = newFolder()
    await assert.rejects(
      run(folder, '--validator', 'yup'),
      (error) =>
        error instanceof CommandError && /"--validator" must be zod, valibot, arktype, not "yup"/.test(error.message),
    )
    assert.equal(existsSync(folder), false)
  })
})

describe('verbena new: the name of the package', () => {
  for (const [folder, name] of [
    ['my-api', 'my-api'],
    ['my_api.v2', 'my_api.v2'],
    ['MyShop', 'my-shop'],
    ['Café & Bar', 'cafe-bar'],
    ['_private_', 'private'],
    ['.hidden', 'hidden'],
    ['日本', 'api'],
    ['a'.repeat(230), 'a'.repeat(214)],
    ['verbena', 'verbena-api'],
    ['zod', 'zod-api'],
    ['tsx', 'tsx-api'],
    ['arktype', 'arktype'],
  ] as const) {
    it(`is ${name.slice(0, 20)} in the folder ${folder.slice(0, 20)}`, async () => {
      assert.equal((await create(newFolder(folder))).name, name)
    })
  }
})

describe('verbena new --no-build', () => {
  it('writes a project that Node.js runs without a compiler', async () => {
    const folder = newFolder()
    const { engines, scripts, devDependencies } = await create(folder, '--no-build')
    assert.deepEqual(engines, { node: '>=22.18.0' })
    assert.deepEqual(Object.keys(devDependencies), ['@types/node', 'typescript'])
    assert.deepEqual(scripts, {
      dev: 'verbena dev src/server.ts',
      test: 'node --test --test-timeout=60000 test/*.test.ts',
      check: 'tsc && verbena check src/app.ts && verbena surface src/app.ts --check surface.txt',
      start: 'NODE_ENV=production node src/server.ts',
    })
    const { compilerOptions } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'))
    assert.deepEqual([compilerOptions.erasableSyntaxOnly, compilerOptions.allowImportingTsExtensions], [true, true])
    const written = FILES.filter((path) => existsSync(join(folder, path)))
    const omitted = new Set(['tsconfig.build.json', 'pnpm-workspace.yaml'])
    assert.deepEqual(
      written,
      FILES.filter((path) => !omitted.has(path)),
    )
    for (const path of written.filter((each) => each.endsWith('.ts'))) {
      const code = readFileSync(join(folder, path), 'utf8')
      assert.doesNotMatch(code, /from '\..*\.js'|await using|^\s*@/m, path)
    }
    assert.match(readFileSync(join(folder, 'test/tasks.test.ts'), 'utf8'), /from '\.\.\/src\/app\.ts'/)
  })

  it('describes each script in the README, and the imports in AGENTS.md', async () => {
    const folder = newFolder()
    const { scripts } = await create(folder, '--no-build')
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const described = [...readme.matchAll(/^\| `npm (?:run )?(\w+)`/gm)].map(([, name]) => name)
    assert.deepEqual(described.toSorted(), Object.keys(scripts).toSorted())
    assert.match(readFileSync(join(folder, 'AGENTS.md'), 'utf8'), /^- Imports end in `\.ts`\. /m)
    const style = await resolveConfig(join(folder, 'package.json'))
    for (const path of ['README.md', 'AGENTS.md', 'tsconfig.json', 'src/app.ts']) {
      const { inferredParser } = await getFileInfo(join(folder, path))
      assert.ok(inferredParser !== null)
      const text = readFileSync(join(folder, path), 'utf8')
      assert.ok(await check(text, { ...style, parser: inferredParser }), path)
    }
  })
})

describe('the proofs of a new project', () => {
  // Below this checkout, so that Node finds the validation libraries and tsx.
  const parent = resolve('.cache', 'new', String(process.pid))
  mkdirSync(parent, { recursive: true })
  after(() => rmSync(parent, { recursive: true }))

  for (const [validator, ...flags] of [['zod'], ['valibot'], ['arktype'], ['zod', '--no-build']] as const) {
    const title = [validator, ...flags].join(' ')

    it(`pass with ${title}, and write the same files again`, async () => {
      const cwd = join(parent, title.replaceAll(' ', ''))
      await run(cwd, '--validator', validator, ...flags)
      assert.equal(readFileSync(join(cwd, '.gitattributes'), 'utf8'), '* text=auto eol=lf\n')
      const texts = (): string[] =>
        ['surface.txt', 'authorization.txt'].map((path) => readFileSync(join(cwd, path), 'utf8'))
      const before = texts()
      const checked = await verbena(['surface', 'src/app.ts', '--check', 'surface.txt'], { cwd })
      assert.deepEqual(checked, { code: 0, out: 'No changes since surface.txt\n', err: '' })
      const test = ['--import', import.meta.resolve('tsx'), '--test-reporter=tap', 'test/authorization.test.ts']
      const proof = { NODE_ENV: 'test', NODE_TEST_CONTEXT: '', CI: '' }
      for (const UPDATE of ['', '1']) {
        const { code, out, err } = await runNode(test, { cwd, env: { ...proof, UPDATE } })
        assert.equal(code, 0, `${out}${err}`)
        assert.match(out, /^ok 1 - authorization$/m)
      }
      const written = await verbena(['surface', 'src/app.ts', '--write', 'surface.txt'], { cwd })
      assert.equal(written.code, 0)
      assert.deepEqual(texts(), before)
    })
  }
})

describe('other tools in a new project', () => {
  it('disables the script of esbuild, without which pnpm install fails', async () => {
    const folder = newFolder()
    const { devDependencies } = await create(folder)
    assert.ok('tsx' in devDependencies)
    assert.equal(readFileSync(join(folder, 'pnpm-workspace.yaml'), 'utf8'), 'allowBuilds:\n  esbuild: false\n')
  })

  it('makes Yarn 4 install folders, and disables the script of esbuild without a warning', async () => {
    for (const [flags, meta] of [
      [[], { esbuild: { built: false } }],
      [['--no-build'], undefined],
    ] as const) {
      const folder = newFolder()
      const manifest: unknown = await create(folder, ...flags)
      assert.deepEqual(Object(manifest).dependenciesMeta, meta)
      assert.equal(readFileSync(join(folder, '.yarnrc.yml'), 'utf8').split('\n').at(-2), 'nodeLinker: node-modules')
      assert.match(readFileSync(join(folder, '.gitignore'), 'utf8'), /^\.yarn\/install-state\.gz$/m)
    }
  })

  it('names the files for knip that nothing imports', async () => {
    const manifest: unknown = await create(newFolder())
    assert.deepEqual(Object(manifest).knip, { entry: ['src/server.ts', 'test/*.test.ts'] })
  })
})

describe('docs/install.md', () => {
  it('shows the package.json and the tsconfig files of a new project, without its proofs', async () => {
    const folder = newFolder('my-api')
    const others = { prettier: {}, knip: {}, dependenciesMeta: {} }
    const { prettier: _, knip: _knip, dependenciesMeta: _meta, ...manifest } = { ...others, ...(await create(folder)) }
    // The page has no proofs.
    const check = manifest.scripts['check']?.replace(' && verbena surface src/app.ts --check surface.txt', '')
    const scripts = { ...manifest.scripts, check }
    const page = readFileSync('docs/install.md', 'utf8')
    const shown = [...page.matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = '']): unknown => JSON.parse(text))
    const settings = ['tsconfig.json', 'tsconfig.build.json'].map((path): unknown =>
      JSON.parse(readFileSync(join(folder, path), 'utf8')),
    )
    assert.deepEqual(shown, [{ ...manifest, scripts }, ...settings])
  })
})
