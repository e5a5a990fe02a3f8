/** JSON as lines of coloured pieces, with parts that can be folded, and the lines of it that are in sight. */

/** What a piece of a line is. */
type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'punctuation' | 'secret'

/** A piece of a line. */
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

export interface JsonLine {
  readonly depth: number
  readonly tokens: readonly Token[]
  /** Where the value of the line stands, for folding: `/items/0`. Empty for closing lines. */
  readonly path: string
  /** Whether there is something to fold, and whether it is. */
  readonly fold: 'open' | 'folded' | null
}

/** Characters of a body that are coloured. */
export const MAX_COLOURED = 50_000

/** Characters of a body that are shown at all. */
export const MAX_SHOWN = 1_000_000

/** Lines above which only those in sight are made. */
export const MAX_LINES = 400

/** How a text shall be shown. */
type Showing =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string; readonly more: number }
  | { readonly kind: 'large' }

/** Decides how a text is shown: never is a large one parsed or coloured unasked. */
export function chooseShowing(text: string, isJson: boolean, wantsAll: boolean): Showing {
  if (text.length > MAX_SHOWN) return { kind: 'large' }
  if (text.length > MAX_COLOURED) {
    const end = wantsAll ? text.length : MAX_COLOURED
    return { kind: 'text', text: text.slice(0, end), more: text.length - end }
  }
  return (isJson ? parseJson(text) : null) ?? { kind: 'text', text, more: 0 }
}

function parseJson(text: string): Showing | null {
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return null
  }
}

/** Writes a value as lines. */
export function toJsonLines(value: unknown, folded: ReadonlySet<string>, secret: string): readonly JsonLine[] {
  const lines: JsonLine[] = []
  writeNode({ lines, folded, secret }, { value, path: '', depth: 0, before: [], after: [] })
  return lines
}

interface Writer {
  readonly lines: JsonLine[]
  readonly folded: ReadonlySet<string>
  readonly secret: string
}

interface JsonNode {
  readonly value: unknown
  readonly path: string
  readonly depth: number
  /** Key and colon. */
  readonly before: readonly Token[]
  /** The comma. */
  readonly after: readonly Token[]
}

function writeNode(writer: Writer, node: JsonNode): void {
  const { value, depth, path, before, after } = node
  if (typeof value !== 'object' || value === null) {
    writer.lines.push({ depth, path, fold: null, tokens: [...before, leaf(value, writer.secret), ...after] })
    return
  }
  const brackets = Array.isArray(value) ? '[]' : '{}'
  const entries = Object.entries(value)
  if (entries.length === 0) {
    writer.lines.push({ depth, path, fold: null, tokens: [...before, punctuation(brackets), ...after] })
  } else if (writer.folded.has(path)) {
    const inside = `${brackets.charAt(0)} ${entries.length} ${brackets.charAt(1)}`
    writer.lines.push({ depth, path, fold: 'folded', tokens: [...before, punctuation(inside), ...after] })
  } else {
    writer.lines.push({ depth, path, fold: 'open', tokens: [...before, punctuation(brackets.charAt(0))] })
    for (const [index, entry] of entries.entries()) {
      writeNode(writer, childNode(node, entry, index === entries.length - 1))
    }
    writer.lines.push({ depth, path: '', fold: null, tokens: [punctuation(brackets.charAt(1)), ...after] })
  }
}

function childNode(parent: JsonNode, [key, value]: readonly [string, unknown], isLast: boolean): JsonNode {
  const name: Token = { kind: 'key', text: JSON.stringify(key) }
  return {
    value,
    path: `${parent.path}/${key}`,
    depth: parent.depth + 1,
    before: Array.isArray(parent.value) ? [] : [name, punctuation(': ')],
    after: isLast ? [] : [punctuation(',')],
  }
}

function punctuation(text: string): Token {
  return { kind: 'punctuation', text }
}

function leaf(value: unknown, secret: string): Token {
  if (value === secret) return { kind: 'secret', text: JSON.stringify(value) }
  if (typeof value === 'string') return { kind: 'string', text: JSON.stringify(value) }
  return { kind: typeof value === 'number' ? 'number' : 'literal', text: String(value) }
}

/** Lines in sight: from the first to before the end. */
export interface Sight {
  readonly first: number
  readonly end: number
}

/** Tells which of many rows of one height must be made. */
export function visibleRows(
  scroll: { readonly top: number; readonly height: number; readonly row: number },
  count: number,
  spare: number,
): Sight {
  const row = Math.max(1, scroll.row)
  const end = Math.min(count, Math.ceil((scroll.top + scroll.height) / row) + spare)
  const first = Math.max(0, Math.min(Math.floor(scroll.top / row) - spare, end - 1))
  return { first, end }
}
