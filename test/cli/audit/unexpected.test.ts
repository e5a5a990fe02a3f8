import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { readPackage } from '#src/cli/audit/package-files.js'
import { createReport } from '#src/cli/audit/report.js'
import { PACKAGE_JSON, writePackage } from '#test/audited-package.js'

function listViolations(folder: string): readonly string[] {
  return createReport(readPackage(folder)).violations
}

function changed(properties: object): Readonly<Record<string, string>> {
  return { 'package.json': JSON.stringify({ ...PACKAGE_JSON, ...properties }) }
}

const EVIL = 'globalThis.evil = true\n'
const GYP = '{"targets":[]}'

/** Changes that npm, Node.js or a bundler acts on, with the path or property that the violation names. */
const CHANGES: readonly (readonly [title: string, named: RegExp, files: Readonly<Record<string, string>>])[] = [
  ['binding.gyp, which npm builds at installation', /^binding\.gyp: /, { 'binding.gyp': GYP }],
  ['npm-shrinkwrap.json, which pins packages', /^npm-shrinkwrap\.json: /, { 'npm-shrinkwrap.json': '{}' }],
  ['"gypfile"', /"gypfile"/, changed({ gypfile: true })],
  ['a script at installation', /"postinstall"/, changed({ scripts: { test: 'x', postinstall: 'node x' } })],
  ['a script of another package manager', /"prepublish"/, changed({ scripts: { prepublish: 'node x' } })],
  ['a second command', /the command "node"/, changed({ bin: { verbena: 'dist/cli.js', node: 'dist/cli.js' } })],
  ['a command with the name of the package', /the command "node"/, changed({ name: 'node', bin: 'dist/cli.js' })],
  ['a command in another file', /"bin" contains "docs\/x\.md"/, changed({ bin: { verbena: 'docs/x.md' } })],
  ['"directories.bin"', /"directories"/, changed({ directories: { bin: 'dist' } })],
  ['a page of man', /"man"/, changed({ man: './README.md' })],
  [
    'an entry outside of the build',
    /"exports" contains "\.\/evil\.md"/,
    { ...changed({ exports: { '.': './evil.md' } }), 'evil.md': EVIL },
  ],
  [
    'a condition of an entry in a list',
    /"exports" contains "\.\/LICENSE"/,
    { ...changed({ exports: { '.': ['./dist/index.js', { node: { import: './LICENSE' } }] } }), LICENSE: EVIL },
  ],
  [
    'an entry with another spelling of its path',
    /"exports" contains "\.\/dist\/%69ndex\.js"/,
    changed({ exports: { '.': './dist/%69ndex.js' } }),
  ],
  ['"main" outside of the build', /"main" contains "README\.md"/, changed({ main: 'README.md' })],
  ['"imports" outside of the build', /"imports" contains "\.\/LICENSE"/, changed({ imports: { '#x': './LICENSE' } })],
  [
    'another package in "imports"',
    /"imports" contains "dist\/index\.js"/,
    changed({ imports: { '#x': 'dist/index.js' } }),
  ],
  ['"types" outside of the build', /"types" contains "\.\/evil\.d\.ts"/, changed({ types: './evil.d.ts' })],
  ['an entry of bundlers', /"browser"/, changed({ browser: './dist/index.js' })],
  ['another module system', /"type" is not "module"/, changed({ type: 'commonjs' })],
  ['a dependency', /depends on left-pad/, changed({ dependencies: { 'left-pad': '1' } })],
  ['bundled packages', /"bundleDependencies"/, changed({ bundleDependencies: ['evil'] })],
  ['an installed package', /^node_modules\/evil: /, { 'node_modules/evil/binding.gyp': GYP }],
  ['an installed package of modules', /^dist\/node_modules\/evil: /, { 'dist/node_modules/evil/index.js': EVIL }],
  ['a module outside of the build', /^evil\.js: /, { 'evil.js': EVIL }],
  ['package.json of a directory', /^docs\/package\.json: /, { 'docs/package.json': '{}' }],
  ['package.json of modules', /^dist\/package\.json: /, { 'dist/package.json': '{}' }],
  ['a native module', /^dist\/evil\.node: /, { 'dist/evil.node': '' }],
]

describe('verbena audit: content of the package', () => {
  for (const [title, named, files] of CHANGES) {
    it(`reports ${title}`, (test) => {
      const violations = listViolations(writePackage(test, files))
      assert.equal(violations.filter((violation) => named.test(violation)).length, 1, violations.join('\n'))
    })
  }

  it('reports links to files and directories, without following them', (test) => {
    const folder = writePackage(test)
    symlinkSync('/dev/zero', join(folder, 'docs.md'))
    symlinkSync('..', join(folder, 'dist/parent'))
    assert.deepEqual(
      listViolations(folder),
      ['dist/parent', 'docs.md'].map((path) => `${path}: it is a link, an installed package or a special file`),
    )
  })

  it('reports files that the manifest names and that are not modules', (test) => {
    const manifest = JSON.stringify({ 'binding.gyp': { sha256: '' }, 'dist/evil.node': { sha256: '' } })
    const violations = listViolations(writePackage(test, { 'dist/manifest.json': manifest, 'binding.gyp': GYP }))
    assert.ok(violations.includes('dist/manifest.json: it lists "binding.gyp", which is not a module'))
    assert.ok(violations.includes('dist/manifest.json: it lists "dist/evil.node", which is not a module'))
    assert.ok(violations.includes('binding.gyp: it is not a text or a module'))
  })

  it('accepts guides, commands that pnpm links, and each form of a target', (test) => {
    const folder = writePackage(test, {
      ...changed({
        main: 'dist/index.js',
        types: './dist/index.d.ts',
        imports: { '#x': './dist/http.js', '#y': null },
      }),
      'docs/guides/routes.md': '# Routes',
      'AGENTS.md': '',
      LICENSE: '',
      'node_modules/.bin/verbena': '',
    })
    assert.deepEqual(listViolations(folder), [])
  })

  it('accepts package.json of this project', (test) => {
    const folder = writePackage(test, { 'package.json': readFileSync('package.json', 'utf8') })
    // The small package does not have all entries.
    assert.deepEqual(
      listViolations(folder).filter((violation) => !violation.startsWith('package.json: "exports" contains "./dist/')),
      [],
    )
  })

  it('reports the entry that Node.js would load', (test) => {
    const project = resolve(writePackage(test, { ...changed({ exports: './LICENSE' }), LICENSE: EVIL }))
    const installed = join(project, 'app/node_modules/verbena')
    for (const path of ['package.json', 'LICENSE']) {
      mkdirSync(dirname(join(installed, path)), { recursive: true })
      writeFileSync(join(installed, path), readFileSync(join(project, path)))
    }
    const code = "await import('verbena'); console.log(globalThis.evil)"
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: join(project, 'app'),
    })
    assert.equal(String(printed), 'true\n')
    assert.match(String(listViolations(project)), /"exports" contains "\.\/LICENSE"/)
  })
})
