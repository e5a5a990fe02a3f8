/** The package.json of Verbena. */
import { createRequire } from 'node:module'

export interface OwnManifest {
  readonly version: string
  /** The supported versions of Node.js. */
  readonly engines: object
}

export function readOwnManifest(): OwnManifest {
  return createRequire(import.meta.url)('verbena/package.json')
}
