/** The package.json of Verbena, and its folder. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

export interface OwnManifest {
  readonly version: string
  /** The supported versions of Node.js. */
  readonly engines: object
  /** Patterns of the packed files; a pattern that begins with `!` excludes files. */
  readonly files: readonly string[]
}

const MANIFEST = 'verbena/package.json'

export function readOwnManifest(): OwnManifest {
  return createRequire(import.meta.url)(MANIFEST)
}

/** Folder of the installed package. */
export function findOwnFolder(): string {
  return dirname(createRequire(import.meta.url).resolve(MANIFEST))
}
