/** Imports code of the guides unchanged. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const FOLDER = join(import.meta.dirname, '..', '.cache')

/** Imports the code block of a guide that contains a string. Its `declare`d functions are read from `globalThis`. */
export async function importGuide(page: string, marker: string): Promise<Record<string, unknown>> {
  const blocks = readFileSync(join(ROOT, 'docs', 'guides', page), 'utf8').matchAll(/^```ts[^\n]*\n(.*?)^```/gms)
  const code = Array.from(blocks, ([, text = '']) => text).find((text) => text.includes(marker))
  if (code === undefined) throw new Error(`Cannot find the code of ${page}: no block contains "${marker}"`)
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${page}.${process.pid}.ts`)
  writeFileSync(file, code)
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(file)
  }
}
