// own process: it changes environment variables, because proofs refuse to run in production
/** The findings of the guide of proofs: each change of its app has the lines that the guide shows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { importGuide } from '#test/guide-code.js'
import { listFindings, MatrixFile, useDebugger } from '#test/proof.js'
import { compareBlocks } from '#src/prove/stored-file.js'
import type { App } from 'verbena'
import { surface, type AuthorizationOptions } from 'verbena/prove'

useDebugger()

const PAGE = 'proofs.md'
const MARKER = 'abstract class NoteRoute'
const OPTIONS: Omit<AuthorizationOptions, 'file'> = {
  actors: { ada: { bearer: 'token-of-ada' }, eve: { bearer: 'token-of-eve' }, nobody: {} },
  objects: { notes: { create: { as: 'ada', call: 'POST /notes', body: { text: 'Tea at four' }, id: 'body.id' } } },
}

/** Returns the change and the shown lines of a finding by its heading. */
function readFinding(heading: string): { readonly change: (code: string) => string; readonly shown: string } {
  const text = readFileSync(`docs/guides/${PAGE}`, 'utf8')
  const [section = ''] = text.slice(text.indexOf(`### ${heading}\n`)).split(/^(?=##? |### (?!A))/m)
  const [, removed = '', added = ''] = /^```diff\n-(.*)\n\+(.*)\n```$/m.exec(section) ?? []
  const [, shown = ''] = /^```text\n([^]*?)^```$/m.exec(section) ?? []
  const change = (code: string): string => {
    assert.ok(code.includes(removed), removed)
    const isOptional = added.includes('optional(user)')
    return code.replace(removed, () => added).replace('import { bearer,', isOptional ? '$&optional,' : '$&')
  }
  return { change, shown }
}

async function importApp(change?: (code: string) => string): Promise<App> {
  const { app } = await importGuide(PAGE, MARKER, change)
  // Proof: the block exports an app, which the test of the examples checks.
  return app as App
}

/** Returns the lines of the test after a change, with the path of the guide. */
async function prove(
  heading: string,
): Promise<{ readonly lines: readonly string[]; readonly shown: readonly string[] }> {
  const { change, shown } = readFinding(heading)
  using file = new MatrixFile()
  await file.update(await importApp(), OPTIONS)
  const lines = await listFindings(file.compare(await importApp(change), OPTIONS))
  return {
    lines: lines.map((line) =>
      line.replace(/ at \S+?:(\d+)\)/, ' at src/app.ts:$1)').replace(file.path, 'authorization.txt'),
    ),
    shown: shown.trimEnd().split('\n'),
  }
}

describe('findings in docs/guides/proofs.md', () => {
  it('accepts the app as shown', async () => {
    using file = new MatrixFile()
    await file.update(await importApp(), OPTIONS)
    assert.deepEqual(await listFindings(file.compare(await importApp(), OPTIONS)), [])
  })

  it('shows the lines of the surface for a field that leaves', async () => {
    const { change, shown } = readFinding('A field leaves')
    const blocks = compareBlocks(surface(await importApp()), surface(await importApp(change)))
    const printed = blocks.map(({ heading, lines }) =>
      [`  ${heading}`, ...lines.map(({ sign, line }) => `${sign} ${line}`)].join('\n'),
    )
    assert.equal(`${printed.join('\n\n')}\n`, shown)
  })

  for (const heading of ['A decision changes', 'Another user changes an object']) {
    it(`shows all lines: ${heading}`, async () => {
      const { lines, shown } = await prove(heading)
      assert.deepEqual(lines, shown)
    })
  }

  it('shows the first lines for a guard that accepts invalid credentials', async () => {
    const { lines, shown } = await prove('A guard accepts invalid credentials')
    assert.deepEqual(lines.slice(0, shown.length), shown)
    assert.equal(lines.length, 3 * shown.length)
  })
})
