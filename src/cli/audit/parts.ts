/** Parts of the package that no app in production loads. They may be deleted from an image. */
import type { PackageFile } from './package-files.js'

/** Patterns of the paths of a part, by its name. */
const PARTS: Readonly<Record<string, RegExp>> = {
  console: /^dist\/console[a-z-]*\.js$/,
  cli: /^dist\/cli(?:-[a-z-]+)?\.js$/,
  types: /\.d\.ts$/,
  documents: /^(?!LICENSE).*\.md$/,
}

export const PART_NAMES: readonly string[] = Object.keys(PARTS)

export interface InactivePart {
  readonly part: string
  readonly files: readonly string[]
  readonly bytes: number
}

export function listInactiveParts(files: readonly PackageFile[]): InactivePart[] {
  return Object.entries(PARTS).map(([part, pattern]) => {
    const partFiles = files.filter(({ path }) => pattern.test(path))
    return {
      part,
      files: partFiles.map(({ path }) => path),
      bytes: partFiles.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  })
}
