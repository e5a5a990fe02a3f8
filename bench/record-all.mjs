/** Copies of builds whose console records every request. The recorder of the package takes 50 a second. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const LIMITS = /(?<=\bBUDGET(?:\$\d+)? = \{\s*)atOnce: 500, perSecond: 50, inRow: 25/

/**
 * Copies a build, without the limit of its recorder. The copy is deleted when the process exits.
 *
 * @param {string} build its folder
 * @returns {string} URL of the entry of the copy
 */
export function copyWithoutLimit(build) {
  const source = join(build, 'console.js')
  if (!existsSync(source)) throw new Error(`Cannot record all requests with ${build}: it holds no console.js`)
  const text = readFileSync(source, 'utf8')
  if (!LIMITS.test(text))
    throw new Error(`Cannot record all requests with ${build}: the limit of its recorder is not found`)
  const copy = mkdtempSync(join(tmpdir(), 'verbena-record-all-'))
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
  cpSync(build, copy, { recursive: true })
  writeFileSync(join(copy, 'console.js'), text.replace(LIMITS, 'atOnce: 1e12, perSecond: 1e12, inRow: 1'))
  return pathToFileURL(join(copy, 'index.js')).href
}
