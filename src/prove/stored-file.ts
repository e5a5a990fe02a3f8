/** Files of proofs, which are stored beside the code: their faults, and how they differ from the app. */

/** A line that only the file (`-`) or only the app (`+`) has. */
export interface LineChange {
  readonly sign: '-' | '+'
  readonly line: string
}

/** The changed lines of a block. */
export interface BlockChange {
  /** First line of the block, such as `GET /users`. */
  readonly heading: string
  readonly lines: readonly LineChange[]
}

const CONFLICT = /^(?:<{7}|>{7})(?: |$)/m

/** Returns why the text of a file cannot be compared; `null` if it can. The fix is to write it again. */
export function findFileFault(text: string, firstLine: string): string | null {
  if (CONFLICT.test(text)) return 'it contains conflict markers'
  if (text.includes('\r')) return 'its lines end with CRLF. Add "* text=auto eol=lf" to .gitattributes'
  const first = text.split('\n', 1).join('')
  if (first === firstLine) return null
  return `its first line must be "${firstLine}", not ${JSON.stringify(first.slice(0, 40))}`
}

/** Returns the changed lines of each block, in the order of the app. Blocks that only the file has follow at their end. */
export function compareBlocks(file: string, app: string): BlockChange[] {
  const [before, after] = [readBlocks(file), readBlocks(app)]
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((heading) => {
    const lines = compareLines(before.get(heading) ?? [], after.get(heading) ?? [])
    return lines.length === 0 ? [] : [{ heading, lines }]
  })
}

/** Reads blocks by their first line, which is not indented. Blank lines only separate blocks. */
function readBlocks(text: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>()
  let heading = ''
  for (const line of text.split('\n').filter((each) => each !== '')) {
    if (!line.startsWith(' ')) heading = line
    const block = blocks.get(heading) ?? []
    block.push(line)
    blocks.set(heading, block)
  }
  return blocks
}

/** Returns the lines that only one list has, or all lines if only their order differs. Lines of a block are unique. */
export function compareLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const [old, current] = [new Set(before), new Set(after)]
  const changes = toChanges(
    before.filter((line) => !current.has(line)),
    after.filter((line) => !old.has(line)),
  )
  return changes.length > 0 || before.join('\n') === after.join('\n') ? changes : toChanges(before, after)
}

function toChanges(removed: readonly string[], added: readonly string[]): LineChange[] {
  return [
    ...removed.map((line) => ({ sign: '-', line }) as const),
    ...added.map((line) => ({ sign: '+', line }) as const),
  ]
}
