/**
 * SQL for display: tokens for colors, and line breaks before clauses. Only whitespace outside of tokens changes, so that strings,
 * quoted names, comments and parameters stay as they are. All dialects are accepted, and nothing is validated.
 */
import { POSTGRES, scanSql, type SqlToken } from '../../../src/devconsole/wire/sql-tokens.js'

export interface ShownToken {
  readonly kind: 'space' | 'keyword' | 'name' | 'string' | 'number' | 'parameter' | 'comment' | 'plain'
  readonly text: string
}

/** Clauses that begin a line. */
const CLAUSES: ReadonlySet<string> = new Set(
  'SELECT FROM WHERE HAVING LIMIT FETCH UNION INTERSECT EXCEPT VALUES SET RETURNING WINDOW WITH INSERT UPDATE DELETE'.split(
    ' ',
  ),
)

/** Words that begin a line only before a word that matches. */
const PAIRS: Readonly<Record<string, RegExp>> = {
  GROUP: /^BY$/,
  ORDER: /^BY$/,
  ON: /^(?:CONFLICT|DUPLICATE)$/,
  FOR: /^(?:UPDATE|SHARE|NO|KEY)$/,
}

/** Words of joins. The first of them in a row begins a line. */
const JOINS: ReadonlySet<string> = new Set('LEFT RIGHT FULL INNER CROSS NATURAL OUTER JOIN'.split(' '))

/** Words after which a clause continues: `DELETE FROM`, `IS DISTINCT FROM`, `DO UPDATE SET`, `FOR UPDATE`. */
const CONTINUED: ReadonlySet<string> = new Set('DELETE DISTINCT DO FOR NO KEY'.split(' '))

const KEYWORDS: ReadonlySet<string> = new Set([
  ...CLAUSES,
  ...JOINS,
  ...Object.keys(PAIRS),
  ...'AND OR NOT IN IS NULL LIKE ILIKE BETWEEN EXISTS AS BY ASC DESC DISTINCT ALL ANY CASE WHEN THEN ELSE END INTO'.split(
    ' ',
  ),
  ...'OFFSET USING LATERAL RECURSIVE OVER PARTITION CONFLICT DUPLICATE DO NOTHING DEFAULT TRUE FALSE BEGIN COMMIT'.split(
    ' ',
  ),
  ...'ROLLBACK SAVEPOINT RELEASE CREATE TABLE INDEX VIEW DROP ALTER ADD COLUMN PRIMARY KEY REFERENCES UNIQUE SHARE'.split(
    ' ',
  ),
  ...'EXPLAIN ANALYZE PRAGMA REPLACE NULLS FIRST LAST ROWS ONLY NEXT TO START TRANSACTION'.split(' '),
])

/** Splits SQL into tokens, without changes. */
export function tokenizeSql(sql: string): readonly ShownToken[] {
  const tokens: ShownToken[] = []
  for (const token of scanSql(sql, POSTGRES))
    tokens.push({ kind: displayKind(token, tokens.at(-1)?.text === '.'), text: token.text })
  return tokens
}

function displayKind({ kind, text }: SqlToken, isMember: boolean): ShownToken['kind'] {
  if (kind === 'word') return !isMember && KEYWORDS.has(text.toUpperCase()) ? 'keyword' : 'name'
  return kind === 'quoted' ? 'name' : kind
}

/** Replaces whitespace between tokens by one space. The line of a `--` comment still ends. */
export function compactSql(sql: string): readonly ShownToken[] {
  const tokens = tokenizeSql(sql)
  return tokens.flatMap((token, index): readonly ShownToken[] => {
    if (token.kind !== 'space') return [token]
    if (index === 0 || index === tokens.length - 1) return []
    return [{ kind: 'space', text: tokens[index - 1]?.text.startsWith('--') === true ? '\n' : ' ' }]
  })
}

/** Breaks lines before clauses, before `AND` and `OR`, and in long lists, and indents subqueries. */
export function formatSql(sql: string): readonly ShownToken[] {
  const tokens = compactSql(sql)
  const layout = new SqlLayout()
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'space') layout.space(token)
    else layout.add(token, tokens.slice(index + 1, index + 3).find(({ kind }) => kind !== 'space')?.text ?? '')
  }
  return layout.tokens
}

/** Length of a line after which a list continues on the next line. */
const MAX_LINE_LENGTH = 64

/** Deepest indentation. Without a maximum, nested parentheses would take quadratic time. */
const MAX_INDENT = 20

interface Block {
  /** Indentation of the line that ends it. */
  readonly outer: number
  readonly indent: number
  /** Whether lines break: at the top, and in a subquery. */
  readonly breaks: boolean
  /** `BETWEEN` and `CASE` whose `AND` or `END` follows. */
  readonly open: string[]
}

class SqlLayout {
  readonly tokens: ShownToken[] = []
  readonly #blocks: Block[] = []
  #block: Block = { outer: 0, indent: 0, breaks: true, open: [] }
  /** The last word or mark, in upper case. */
  #previous = ''
  #lineIndent = 0
  #lineLength = 0

  space(token: ShownToken): void {
    if (this.tokens.at(-1)?.kind !== 'space') this.#push(token)
  }

  add(token: ShownToken, next: string): void {
    const text = token.text.toUpperCase()
    const following = next.toUpperCase()
    if (text === ')') this.#leave()
    else if (token.kind === 'keyword' && this.#block.breaks) this.#breakBefore(text, following)
    this.#push(token)
    if (text === '(') this.#enter(following)
    if (text === ',' && this.#block.breaks && this.#lineLength > MAX_LINE_LENGTH) this.#newLine(this.#block.indent + 1)
    if (token.kind !== 'comment') this.#previous = text
  }

  #breakBefore(text: string, next: string): void {
    const { open, indent } = this.#block
    if (text === 'CASE' || text === 'BETWEEN') open.push(text)
    else if (text === 'END') open.length = Math.max(0, open.lastIndexOf('CASE'))
    else if (text === 'AND' && open.at(-1) === 'BETWEEN') open.pop()
    else if (open.includes('CASE')) return
    else if (text === 'AND' || text === 'OR') this.#newLine(indent + 1)
    else if (this.#isClause(text, next)) this.#newLine(indent)
  }

  #isClause(text: string, next: string): boolean {
    if (CONTINUED.has(this.#previous)) return false
    if (JOINS.has(text)) return next !== '(' && !JOINS.has(this.#previous)
    return CLAUSES.has(text) || PAIRS[text]?.test(next) === true
  }

  #enter(next: string): void {
    const breaks = next === 'SELECT' || next === 'WITH'
    this.#blocks.push(this.#block)
    this.#block = { outer: this.#lineIndent, indent: this.#lineIndent + 1, breaks, open: [] }
  }

  #leave(): void {
    const inner = this.#block
    const outer = this.#blocks.pop()
    if (outer === undefined) return
    if (inner.breaks) this.#newLine(inner.outer)
    this.#block = outer
  }

  #newLine(indent: number): void {
    if (this.tokens.length === 0) return
    if (this.tokens.at(-1)?.kind === 'space') this.tokens.pop()
    this.#lineIndent = indent
    this.#push({ kind: 'space', text: `\n${'  '.repeat(Math.min(indent, MAX_INDENT))}` })
  }

  #push(token: ShownToken): void {
    this.tokens.push(token)
    const end = token.text.lastIndexOf('\n')
    this.#lineLength = end === -1 ? this.#lineLength + token.text.length : token.text.length - end - 1
  }
}
