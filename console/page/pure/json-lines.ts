/** JSON as lines of colored tokens that can be folded, and the choice of the lines in view. */

type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'punctuation' | 'secret'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

export interface JsonLine {
  readonly depth: number
  readonly tokens: readonly Token[]
  /** Path of the value, which identifies it for folding: `/items/0`. Empty for closing lines. */
  readonly path: string
  /** `null` if the line cannot be folded. */
  readonly fold: 'open' | 'folded' | null
}

/** Maximum length of a body with colors. */
export const MAX_COLORED = 50_000

/** Maximum length of a body that is shown. */
export const MAX_SHOWN = 1_000_000

/** Maximum number of lines that are all created. Of more lines, only the ones in view are. */
export const MAX_LINES = 400

/** Form in which a body is shown. `more` is the number of characters that are cut off. */
type BodyForm =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string; readonly more: number }
  | { readonly kind: 'large' }

/** Chooses how to show a body. A long body is not parsed, and is cut off unless `wantsAll`. */
export function chooseBodyForm(text: string, isJson: boolean, wantsAll: boolean): BodyForm {
  if (text.length > MAX_SHOWN) return { kind: 'large' }
  if (text.length > MAX_COLORED) {
    const end = wantsAll ? text.length : MAX_COLORED
    return { kind: 'text', text: text.slice(0, end), more: text.length - end }
  }
  const value = isJson ? parseJson(text) : undefined
  return value === undefined ? { kind: 'text', text, more: 0 } : { kind: 'json', value }
}

/** Numbers of which JavaScript may not represent all digits. */
const LONG_NUMBERS = /[[:,\s](-?\d[\d.]{15,})/g

/** Returns the value of JSON; `undefined` if it is malformed, or if JavaScript would round a number of it. */
export function parseJson(text: string): unknown {
  const isExact = [...text.matchAll(LONG_NUMBERS)].every(([, number]) => String(Number(number)) === number)
  try {
    return isExact ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** Formats a value as lines. Values that equal `secret` have their own color. */
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
  /** Key and colon; empty for items of arrays. */
  readonly before: readonly Token[]
  /** Comma; empty for the last entry. */
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

/** Range of the rows in view. */
export interface RowRange {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** Returns the rows in view of a list whose rows have the same height, with spare rows on both sides. */
export function visibleRows(
  scroll: { readonly top: number; readonly height: number; readonly row: number },
  count: number,
  spare: number,
): RowRange {
  const row = Math.max(1, scroll.row)
  const end = Math.min(count, Math.ceil((scroll.top + scroll.height) / row) + spare)
  const first = Math.max(0, Math.min(Math.floor(scroll.top / row) - spare, end - 1))
  return { first, end }
}
