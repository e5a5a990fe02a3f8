/** Imports code blocks of the guides. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const FOLDER = join('.cache', 'guide-code')
let count = 0

/**
 * Returns the `ts` block of a guide that contains a string.
 *
 * @param page name in `docs/guides`
 * @param marker string that only this block contains
 */
export function guideBlock(page: string, marker: string): string {
  const blocks = readFileSync(join('docs', 'guides', page), 'utf8').matchAll(/^```ts[^\n]*\n(.*?)^```/gms)
  const found = Array.from(blocks, ([, text = '']) => text).filter((text) => text.includes(marker))
  const [block] = found
  if (block === undefined || found.length > 1) {
    throw new Error(`Cannot read ${page}: ${found.length} blocks contain "${marker}"`)
  }
  return block
}

/**
 * Imports a block. Values that it declares are read from `globalThis`.
 *
 * @param page name in `docs/guides`
 * @param marker string that only this block contains
 * @param edit changes the code, such as a time that a test does not wait for
 * @returns the exports
 */
export async function importGuide(
  page: string,
  marker: string,
  edit: (code: string) => string = (code) => code,
): Promise<Record<string, unknown>> {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${page}.${process.pid}.${++count}.ts`)
  writeFileSync(file, edit(guideBlock(page, marker)))
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } finally {
    rmSync(file)
  }
}
