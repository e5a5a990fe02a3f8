/** Every example of the documentation compiles, and runs with the documented results. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findExamples } from '#test/examples.js'
import { checkTypes, runAll } from '#test/run-examples.js'
import { filesBelow } from '#test/source.js'

const PROJECT = process.env['TSX_TSCONFIG_PATH'] ?? 'tsconfig.json'
/** The reference, and the task pages, which are projects of several files. */
const OTHERS = /^docs\/(?:api|how-to)\//
/** Pages with code of other frameworks. Express 4 and Fastify create functions from strings. */
const OTHER_FRAMEWORKS = /^docs\/coming-from\//
const FOLDER = join('.cache', 'doc-examples', String(process.pid))

const documents = [
  ...['README.md', 'AGENTS.md'].filter((path) => existsSync(path)),
  ...(existsSync('docs') ? filesBelow('docs', '.md').filter((path) => !OTHERS.test(path)) : []),
  ...filesBelow('src', '.ts'),
]
const examples = documents
  .flatMap(findExamples)
  .map((example) => ({ ...example, file: fileFor(example.name), copy: fileFor(`as-shown-${example.name}`) }))

describe('examples of the documentation', () => {
  let typeErrors: ReadonlyMap<string, string>
  let results: Readonly<Record<string, string>>

  before(() => {
    mkdirSync(FOLDER, { recursive: true })
    for (const { file, code, copy, shown } of examples) {
      writeFileSync(file, code)
      writeFileSync(copy, shown)
    }
    typeErrors = checkTypes(
      examples.flatMap(({ file, copy }) => [file, copy]),
      PROJECT,
    )
    const listFiles = (isOther: boolean): string[] =>
      examples.filter(({ run, name }) => run && OTHER_FRAMEWORKS.test(name) === isOther).map(({ file }) => file)
    const options = process.env['NODE_OPTIONS']?.replace('--disallow-code-generation-from-strings', '')
    results = {
      ...runAll(listFiles(false), join(FOLDER, 'results.json')),
      ...runAll(listFiles(true), join(FOLDER, 'others.json'), { ...process.env, NODE_OPTIONS: options }),
    }
  })

  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  it('finds examples', () => {
    assert.notEqual(examples.length, 0)
  })

  for (const { name, file, copy, run } of examples) {
    it(`${run ? 'run' : 'compile'}: ${name}`, () => {
      assert.equal(typeErrors.get(resolve(copy)) ?? '', '')
      assert.equal(typeErrors.get(resolve(file)) ?? '', '')
      if (run) assert.equal(readable(results[file] ?? 'It was not started', name, file), '')
    })
  }
})

function fileFor(name: string): string {
  return join(FOLDER, `${name.replace(/[^\w.-]+/g, '-')}.ts`)
}

/** Replaces the generated file in a stack by its place in the documentation. */
function readable(text: string, name: string, file: string): string {
  const document = name.slice(0, name.lastIndexOf(':'))
  return text.replaceAll(`file://${resolve(file)}`, document).replaceAll(resolve(file), document)
}
