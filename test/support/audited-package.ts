/** A small package on disk, as `verbena audit` reads it. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

export const PACKAGE_JSON = {
  name: 'verbena',
  version: '1.2.3',
  license: 'MIT',
  type: 'module',
  bin: { verbena: 'dist/cli.js' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
  scripts: { test: 'x' },
}

/** Writes a package with the given files over its own. The manifest always describes the original files. */
export function writePackage(test: TestContext, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync('.cache', { recursive: true })
  const folder = mkdtempSync(join('.cache', 'audited-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  const original = {
    'dist/index.js': "// src/index.ts\n\nexport { serve } from './http.js'\n",
    'dist/index.d.ts': 'export declare function serve(): void\n',
    'dist/http.js': "import { createServer } from 'node:http'\nexport function serve() {}\n",
    'dist/console.js': 'export const page = 1\n',
    'dist/cli.js': 'export const main = 1\n',
    'dist/cli-new.js': 'export const create = 1\n',
    'dist/client.js': 'export const createClient = 1\n',
  }
  const manifest = Object.fromEntries(
    Object.entries(original).map(([path, text]) => [
      path,
      { sha256: createHash('sha256').update(text).digest('hex'), sources: { 'src/index.ts': 'a1' } },
    ]),
  )
  const all = {
    ...original,
    'README.md': '# Verbena\n',
    'package.json': JSON.stringify(PACKAGE_JSON),
    'dist/manifest.json': JSON.stringify(manifest),
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
