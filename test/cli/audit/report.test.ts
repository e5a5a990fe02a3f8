import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReport, type AuditReport } from '#src/cli/audit/report.js'
import type { PackageFiles } from '#src/cli/audit/package-files.js'

const NONE = {
  name: 'verbena',
  version: '1.0.0',
  license: 'MIT',
  dependencies: [],
  installScripts: [],
  content: { name: 'verbena', type: 'module' },
}
const EMPTY = { manifest: NONE, files: [], missing: [], modules: new Set<string>(), strange: [] }

function reportOf(code: Readonly<Record<string, string>>, others: Partial<PackageFiles> = {}): AuditReport {
  return createReport({ ...EMPTY, code: new Map(Object.entries(code)), ...others })
}

describe('createReport()', () => {
  it('accepts each capability in the modules that may have it', () => {
    const { violations, capabilities } = reportOf({
      'http.js': "import { createServer } from 'node:http'",
      'features.js': 'await fetch(url)',
      'cli.js': "import { spawn } from 'node:child_process'; import { createRequire } from 'node:module'",
      'cli-new.js': "import { writeFileSync } from 'node:fs'",
      'ground.js': "process.env['NODE_ENV']",
    })
    assert.deepEqual(violations, [])
    assert.ok(capabilities.every(({ purpose }) => purpose !== null) && capabilities.length === 6)
  })

  for (const [capability, code] of [
    ['listens for connections', "import { createServer } from 'node:net'"],
    ['sends requests', 'return fetch(url)'],
    ['uses files', "import('node:fs/promises')"],
    ['reads environment variables', 'const { HOME_DIR: home } = process.env'],
    ['loads modules by name', 'import(name)'],
    ['inspects functions', "import { Session } from 'node:inspector'"],
    ['reads environment variables', "process.env['HOME']"],
    ['loads modules by name', "import { createRequire } from 'node:module'"],
    ['starts processes', "process.getBuiltinModule('node:child_process')"],
    ['makes code from strings', 'new Function(text)'],
    ['makes code from strings', "import vm from 'node:vm'"],
    ['loads native code', 'process.dlopen(module, path)'],
    ['starts threads', "import { Worker } from 'node:worker_threads'"],
    ['uses other networks', "import dgram from 'node:dgram'"],
    ['uses a module that is not listed', "import left from 'left-pad'"],
  ] as const) {
    it(`reports a planted violation: ${code}`, () => {
      const { violations } = reportOf({ 'router.js': code })
      assert.equal(violations.length, 1)
      assert.ok(violations[0]?.startsWith(`dist/router.js: it ${capability} (`), violations[0])
    })
  }

  it('restricts processes and node:module to modules of the command line', () => {
    for (const file of ['client.js', 'http.js', 'console.js', 'console-page.js', 'features.js', 'index.js']) {
      const { violations } = reportOf({ [file]: "import 'node:child_process'; import 'node:module'" })
      assert.equal(violations.length, 2, file)
    }
  })

  it('restricts requests to the keys of JWKS, the client and the command line', () => {
    for (const file of ['http.js', 'auth.js', 'console.js', 'app.js']) {
      assert.equal(reportOf({ [file]: 'await fetch(url)' }).violations.length, 1, file)
    }
  })

  it('lists the parts that no app in production loads', () => {
    const file = { bytes: 5, sha256: '00', sources: [], state: null }
    const paths = [
      'dist/console.js',
      'dist/console-page.js',
      'dist/cli.js',
      'dist/client.js',
      'dist/a.d.ts',
      'LICENSE.md',
    ]
    const { inactive } = reportOf({}, { files: paths.map((path) => ({ ...file, path })) })
    assert.deepEqual(inactive, [
      { part: 'console', files: ['dist/console.js', 'dist/console-page.js'], bytes: 10 },
      { part: 'cli', files: ['dist/cli.js'], bytes: 5 },
      { part: 'types', files: ['dist/a.d.ts'], bytes: 5 },
      { part: 'documents', files: [], bytes: 0 },
    ])
  })

  it('reports dependencies, scripts, and files that differ from the build', () => {
    const file = { bytes: 1, sha256: '00', sources: [] }
    const { violations } = reportOf(
      {},
      {
        manifest: { ...NONE, dependencies: ['left-pad'], installScripts: ['postinstall'] },
        files: [
          { ...file, path: 'README.md', state: null },
          { ...file, path: 'dist/a.js', state: 'as built' },
          { ...file, path: 'dist/b.js', state: 'changed' },
          { ...file, path: 'dist/c.js', state: 'unlisted' },
        ],
        missing: ['dist/d.js'],
      },
    )
    assert.deepEqual(violations, [
      'package.json: the package depends on left-pad',
      'package.json: the script "postinstall" can run at installation',
      'dist/b.js: its SHA-256 is not that of the build',
      'dist/c.js: the build did not write it',
      'dist/d.js: the file does not exist',
    ])
  })

  it('lists modules of Node.js and environment variables with the modules that use them', () => {
    const { builtins, variables } = reportOf({
      'a.js': "import { a } from 'node:util'; process.env['NODE_ENV']",
      'b.js': "import { b } from 'node:util'",
    })
    assert.deepEqual(builtins, [{ module: 'node:util', files: { 'a.js': ['a'], 'b.js': ['b'] } }])
    assert.deepEqual(variables, [{ name: 'NODE_ENV', files: ['a.js'] }])
  })
})
