/** The finding of `verbena check` about the block for coding agents. */
import { readFileSync } from 'node:fs'
import { valueOr } from '../../values/value-or.js'
import { AGENTS_FILE, findBlock } from './markers.js'

/** A finding about a file, which is not part of `app.check()`. */
interface OutdatedBlock {
  readonly code: 'AGENTS_OUTDATED'
  readonly message: string
  readonly fix: string
  readonly file: string
  /** Line of the first marker. */
  readonly line: number
}

/** Returns a finding if the block in the current folder is older than a version. A file that cannot be read has no finding. */
export function findOutdatedBlock(version: string): OutdatedBlock | null {
  return valueOr(() => {
    const text = readFileSync(AGENTS_FILE, 'latin1')
    const block = findBlock(text)
    if (block === null || !isOlder(block.version, version)) return null
    const message = `The block for coding agents in ${AGENTS_FILE} is of Verbena ${block.version}, but ${version} is installed`
    const fix = 'Renew it with "npx verbena agents"'
    const line = text.slice(0, block.start).split('\n').length
    return { code: 'AGENTS_OUTDATED', message, fix, file: AGENTS_FILE, line }
  }, null)
}

function isOlder(one: string, other: string): boolean {
  return toSortKey(one).localeCompare(toSortKey(other), 'en', { numeric: true }) < 0
}

/** Returns a version with an ending that sorts a release after its prereleases, such as `1.0.0-rc.1`. */
function toSortKey(version: string): string {
  return version.includes('-') ? version : `${version}-zzz`
}
