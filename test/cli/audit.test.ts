import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { audit } from '#src/cli/audit.js'
import { CommandError, parseCommand } from '#src/cli/command.js'
import { writePackage } from '#test/audited-package.js'

/** Runs the command, and returns its exit code and its output. */
async function run(folder: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  let output = ''
  const code = await audit.run(parseCommand(audit, ['--package', folder, ...args]), {
    width: Infinity,
    style: (_, text) => text,
    print: async (text) => void (output += text),
    warn: () => {},
  })
  return { code, output }
}

describe('verbena audit', () => {
  it('prints the facts of the package and no violations', async (test) => {
    const { code, output } = await run(writePackage(test))
    assert.equal(code, 0)
    for (const line of [
      /^verbena 1\.2\.3, 10 files, [\d,]+ bytes$/m,
      /^Dependencies\n {2}none$/m,
      /^Scripts at installation\n {2}none$/m,
      /^ {2}listens for connections {2}http\.js {2}node:http {2}the server of the app$/m,
      /^ {2}dist\/http\.js +\d+ +as built +[0-9a-f]{64}$/m,
      /^Not loaded in production\n {2}PART +FILES +BYTES\n {2}console +1 +22\n {2}cli +2 +46\n {2}types +1 +38\n {2}documents +1 +10$/m,
      /^To prove it, delete the files that "verbena audit --without <part>" lists/m,
      /^A change of both a module and the manifest is not found here\. [^]*--\s*compare[^]*npm audit signatures/m,
      /^ {2}README\.md +10 +[0-9a-f]{64}$/m,
      /^No violations$/m,
    ]) {
      assert.match(output, line)
    }
    assert.doesNotMatch(output, /src\/index\.ts/)
  })

  it('prints the sources of each module with --sources', async (test) => {
    const { output } = await run(writePackage(test), '--sources')
    assert.match(output, /dist\/http\.js .*\n {4}src\/index\.ts +a1$/m)
  })

  it('finds changed, additional and missing modules, and exits with 1', async (test) => {
    const folder = writePackage(test, { 'dist/http.js': "import 'node:vm'", 'dist/extra.js': '' })
    rmSync(join(folder, 'dist/console.js'))
    const { code, output } = await run(folder)
    assert.equal(code, 1)
    assert.match(
      output,
      /\n4 violations\n {2}dist\/http\.js: it makes code from strings .*\n {2}dist\/http\.js: its SHA-256 .*\n {2}dist\/console\.js: the file .*|dist\/extra\.js: the build did not write it/,
    )
    assert.match(output, /dist\/extra\.js: the build did not write it/)
  })

  it('prints the report as JSON with --json', async (test) => {
    const { output } = await run(writePackage(test), '--json')
    const report: unknown = JSON.parse(output)
    assert.deepEqual(Reflect.get(Object(report), 'builtins'), [
      { module: 'node:http', files: { 'http.js': ['createServer'] } },
    ])
  })

  it('prints a bill of materials without components with --sbom', async (test) => {
    const folder = writePackage(test)
    const { output } = await run(folder, '--sbom')
    const sbom: {
      bomFormat: string
      components: unknown[]
      metadata: { component: { purl: string; components: { name: string }[] } }
    } = JSON.parse(output)
    assert.deepEqual([sbom.bomFormat, sbom.components], ['CycloneDX', []])
    assert.equal(sbom.metadata.component.purl, 'pkg:npm/verbena@1.2.3')
    assert.equal(sbom.metadata.component.components.length, 10)
    assert.equal((await run(folder, '--sbom')).output, output)
  })

  it('prints a component of the bill of materials for each dependency', async (test) => {
    const manifest = JSON.stringify({ name: 'verbena', version: '1.0.0', license: 'MIT', dependencies: { left: '1' } })
    const { code, output } = await run(writePackage(test, { 'package.json': manifest }), '--sbom')
    assert.equal(code, 1)
    assert.deepEqual(JSON.parse(output).dependencies, [{ ref: 'pkg:npm/verbena@1.0.0', dependsOn: ['pkg:npm/left'] }])
  })

  it('prints the files of removable parts with --without', async (test) => {
    const folder = writePackage(test)
    const { output } = await run(folder, '--without', 'console', '--without', 'types', '--without', 'documents')
    assert.deepEqual(output.split('\n'), ['README.md', 'dist/console.js', 'dist/index.d.ts'])
    assert.deepEqual(JSON.parse((await run(folder, '--without', 'console', '--json')).output), ['dist/console.js'])
    assert.deepEqual((await run(folder, '--without', 'cli')).output.split('\n'), ['dist/cli-new.js', 'dist/cli.js'])
  })

  it('rejects a checkout, which is not installed', async () => {
    const given = parseCommand(audit, [])
    const terminal = { width: 80, style: String, print: async () => {}, warn: () => {} }
    await assert.rejects(
      audit.run(given, terminal),
      /manifest\.json cannot be read \(Error: ENOENT.*Audit an installed package$/,
    )
  })

  it('rejects an unknown part, and a folder that is not an installed package', async (test) => {
    const folder = writePackage(test, { 'package.json': '[' })
    await assert.rejects(run(writePackage(test), '--without', 'core'), {
      message: 'Cannot list the files of "core": the part is unknown. Parts are console, cli, types, documents',
    })
    await assert.rejects(run(folder), CommandError)
    await assert.rejects(run(join(folder, 'nothing')), /Cannot audit the package: .*manifest\.json cannot be read/)
  })
})
