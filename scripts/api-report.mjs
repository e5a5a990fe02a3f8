/**
 * The public types without comments, in `etc`: one file for each file of types in the package. They are committed, so that a review shows
 * each change of the API.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import ts from 'typescript'
import { ROOT } from './tools.mjs'

const FOLDER = join(ROOT, 'etc')
const DIST = join(ROOT, 'dist')

/** Writes the report from the types in `dist`. */
export async function writeReport() {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const [name, text] of await makeReport()) writeFileSync(join(FOLDER, name), text)
}

/** Returns the names of the files in `etc` that differ from the types in `dist`. */
export async function findDifferences() {
  const report = await makeReport()
  const committed = existsSync(FOLDER) ? readdirSync(FOLDER) : []
  return [...new Set([...report.keys(), ...committed])].filter((name) => {
    return !committed.includes(name) || readFileSync(join(FOLDER, name), 'utf8') !== report.get(name)
  })
}

async function makeReport() {
  const style = await resolveConfig(join(ROOT, 'package.json'))
  const files = readdirSync(DIST).filter((name) => name.endsWith('.d.ts'))
  const texts = await Promise.all(
    files.map(async (name) => {
      const text = withoutComments(name, readFileSync(join(DIST, name), 'utf8'))
      return [name.replace(/\.d\.ts$/, '.api.d.ts'), await format(text, { ...style, parser: 'typescript' })]
    }),
  )
  return new Map(texts)
}

function withoutComments(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest)
  return ts.createPrinter({ removeComments: true }).printFile(file)
}
