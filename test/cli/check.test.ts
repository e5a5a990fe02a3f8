/** `verbena check`. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { verbena } from '#test/command-line.js'

const OLD_BLOCK = '<!-- verbena 0.0.1: begin of the block -->\nold\n<!-- verbena 0.0.1: end of the block -->\n'

/** Creates a folder with the fixtures and other files, below this checkout, so that Node finds the validation library. */
function createFixture(files: Readonly<Record<string, string>>): string {
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(resolve('.cache/check-'))
  cpSync('test/fixtures/cli', folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
  return folder
}

describe('verbena check', () => {
  it('prints each finding with its place and its fix, and exits with 1', async () => {
    const { code, out } = await verbena(['check', 'app.ts'])
    assert.equal(code, 1)
    assert.match(
      out,
      /^MUTATION_OPEN {2}app\.ts:36\n {2}"POST \/open" has no guard, but other endpoints do\n {2}Add a guard/,
    )
    assert.match(out, /\n\n6 findings in app\.ts\n$/)
  })

  it('exits with 0 if there is no finding', async () => {
    const { code, out } = await verbena(['check', 'fine.ts'])
    assert.deepEqual([code, out], [0, 'No findings in fine.ts\n'])
    assert.equal((await verbena(['check', 'fine.ts', '--github'])).out, '')
  })

  it('prints a finding of level info, and exits with 0', async () => {
    const env = { NODE_OPTIONS: '--disallow-code-generation-from-strings' }
    const { code, out } = await verbena(['check', 'fine.ts'], { env })
    assert.equal(code, 0)
    assert.match(out, /^VALIDATOR_SLOW {2}fine\.ts:7\n {2}The validator "zod" .*\n\n1 finding in fine\.ts\n$/s)
    const github = await verbena(['check', 'fine.ts', '--github'], { env })
    assert.match(github.out, /^::notice file=fine\.ts,line=7,title=VALIDATOR_SLOW::/)
  })

  it('reports an older block for coding agents at level info, also beside a setup error', async (t) => {
    const cwd = createFixture({ 'AGENTS.md': `# Rules\n\n${OLD_BLOCK}` })
    t.after(() => rmSync(cwd, { recursive: true }))
    const { code, out } = await verbena(['check', 'fine.ts'], { cwd })
    assert.equal(code, 0)
    assert.match(
      out,
      /^AGENTS_OUTDATED {2}AGENTS\.md:3\n {2}The block for coding agents in AGENTS\.md is of Verbena 0\.0\.1, but .* is installed\n {2}Renew it with "npx verbena agents"\n\n1 finding in fine\.ts\n$/,
    )
    const github = await verbena(['check', 'broken.ts', '--github'], { cwd })
    assert.equal(github.code, 1)
    assert.match(
      github.out,
      /^::error file=broken\.ts,.*\n::notice file=AGENTS\.md,line=3,title=AGENTS_OUTDATED::The block /,
    )
    const { out: json } = await verbena(['check', 'fine.ts', '--json'], { cwd })
    const [{ level, class: route, method }] = JSON.parse(json)
    assert.deepEqual([level, route, method], ['info', null, null])
    writeFileSync(join(cwd, 'AGENTS.md'), '# Rules\n')
    assert.equal((await verbena(['check', 'fine.ts'], { cwd })).out, 'No findings in fine.ts\n')
  })

  it('prints JSON', async () => {
    const { code, out } = await verbena(['check', 'app.ts', '--json'])
    const [{ message, fix, ...first }] = JSON.parse(out)
    assert.deepEqual(
      [code, first],
      [1, { level: 'warning', code: 'MUTATION_OPEN', class: 'Open', method: 'POST', file: 'app.ts', line: 36 }],
    )
    assert.match(`${message}. ${fix}`, /has no guard.*Add a guard/)
  })

  it('prints annotations for GitHub with the place, and with escaped line breaks', async () => {
    const { code, out } = await verbena(['check', 'app.ts', '--github'])
    const lines = out.trimEnd().split('\n')
    assert.deepEqual([code, lines.length], [1, 6])
    assert.match(
      String(lines[0]),
      /^::warning file=app\.ts,line=36,title=MUTATION_OPEN::"POST \/open" has no guard, .*\. Add a guard/,
    )
  })

  it('reports a setup error with its code and place', async () => {
    const { code, out, err } = await verbena(['check', 'broken.ts'])
    assert.deepEqual([code, err], [1, ''])
    assert.match(out, /^ROUTE_EMPTY {2}broken\.ts:6\n {2}Cannot .*\n\n1 finding in broken\.ts\n$/s)
    const github = await verbena(['check', 'broken.ts', '--github'])
    assert.match(github.out, /^::error file=broken\.ts,line=6,title=ROUTE_EMPTY::Cannot /)
  })

  it('exits with 2 for a module that does not exist or that fails', async () => {
    const missing = await verbena(['check', 'missing.ts'])
    assert.deepEqual([missing.code, missing.out], [2, ''])
    assert.match(missing.err, /the file does not exist/)
    const nothing = await verbena(['check', 'nothing.ts'])
    assert.deepEqual([nothing.code, nothing.out], [2, ''])
    assert.match(nothing.err, /exports/)
    const failing = await verbena(['check', 'failing.ts'])
    assert.deepEqual([failing.code, failing.out], [2, ''])
    assert.match(failing.err, /out of tea/)
  })

  it('reports a setup error without a place if its stack contains none', async () => {
    const { code, out } = await verbena(['check', 'placeless.ts'])
    assert.equal(code, 1)
    assert.match(out, /^ROUTE_EMPTY {2}-\n/)
  })

  it('reports the findings of a strict app one by one, with their places', async () => {
    const { code, out } = await verbena(['check', 'strict.ts'])
    assert.equal(code, 1)
    assert.match(out, /^RETURNS_MISSING {2}strict\.ts:5\n.*\n\n1 finding in strict\.ts\n$/s)
    const { out: annotations } = await verbena(['check', 'strict.ts', '--github'])
    assert.match(annotations, /^::warning file=strict\.ts,line=5,title=RETURNS_MISSING::/)
  })

  it('prints findings without a place if it is unknown', async () => {
    const { out: json } = await verbena(['check', 'corners.ts', '--json'])
    const bound = JSON.parse(json).find((each: { readonly class: string }) => each.class === 'Bound')
    assert.deepEqual([bound.file, bound.line], [null, null])
    const { out: annotations } = await verbena(['check', 'placeless.ts', '--github'])
    assert.match(annotations, /^::error title=ROUTE_EMPTY::/)
  })

  it('exits with 2 if the module throws a plain error', async () => {
    const { code, out, err } = await verbena(['check', 'throws.ts'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^Cannot load "throws\.ts": TypeError \(throws\.ts:2\)\n {2}no database\n$/)
  })

  it('exits with 2 if the module does not exist', async () => {
    const { code, out, err } = await verbena(['check', 'fin.ts'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^Cannot load "fin\.ts": the file does not exist\. Did you mean "fine\.ts"\?/)
  })
})
