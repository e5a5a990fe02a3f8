/**
 * Splits SQL into tokens, for its display and for finding secrets, without validating it. A string, comment or quoted name without an end
 * ends with the text.
 */

export interface SqlToken {
  readonly kind: 'space' | 'comment' | 'string' | 'quoted' | 'parameter' | 'number' | 'word' | 'plain'
  readonly text: string
  readonly index: number
}

/** Syntax in which databases differ. A token of one can contain several tokens of another. */
export interface SqlDialect {
  /** Regular expression with a group for each of `KINDS`. */
  readonly tokens: RegExp
  /** Whether a comment in a comment must end, too. */
  readonly hasNestedComments: boolean
}

/** Kind of each group. A match without a group is plain. The group after `string` is the tag of a dollar quote. */
const KINDS = [
  null,
  'space',
  'comment',
  'string',
  null,
  'quoted',
  'parameter',
  'number',
  'word',
] as const satisfies readonly (SqlToken['kind'] | null)[]

const LETTER = String.raw`A-Za-z_\u0080-\uffff`
const NAME = String.raw`[${LETTER}][\w\u0080-\uffff]*`
const COMMENTS = String.raw`--[^\n]*|/\*[^]*?(?:\*/|$)`
/** In MySQL, `--` needs a space, and `/*!` begins SQL that is executed. */
const MYSQL_COMMENTS = String.raw`--(?=\s|$)[^\n]*|#[^\n]*|/\*(?!!)[^]*?(?:\*/|$)`
const STRING = String.raw`'(?:[^']|'')*'?`
const ESCAPED_STRING = String.raw`'(?:[^'\\]|''|\\[^])*'?`
const DOLLAR_STRING = String.raw`(\$(?:${NAME})?\$)[^]*?(?:\4|$)`
const NO_DOLLAR_STRING = '(?!)()'
const QUOTED = String.raw`"(?:[^"]|"")*"?`
const ESCAPED_QUOTED = String.raw`"(?:[^"\\]|""|\\[^])*"?`

interface Syntax {
  readonly comments: string
  readonly strings: string
  readonly quoted: string
  readonly hasNestedComments: boolean
}

function createDialect({ comments, strings, quoted, hasNestedComments }: Syntax): SqlDialect {
  const tokens = [
    String.raw`(\s+)`,
    `(${comments})`,
    `([eE]${ESCAPED_STRING}|${strings})`,
    `(${quoted}|${'`[^`]*`?'}|${String.raw`\[[${LETTER}][^[\],'"]*\]`})`,
    String.raw`(\$\d+|\$${NAME}|\?\d*|(?<![:\w])[:@]${NAME})`,
    String.raw`(\d[\w.]*)`,
    String.raw`([${LETTER}][\w$\u0080-\uffff]*)`,
    String.raw`::|->>?|#>>?|=>|<>|!=|[<>]=|/\*!\d*|[^]`,
  ]
  return { tokens: new RegExp(tokens.join('|'), 'y'), hasNestedComments }
}

export const POSTGRES: SqlDialect = createDialect({
  comments: COMMENTS,
  strings: `${STRING}|${DOLLAR_STRING}`,
  quoted: QUOTED,
  hasNestedComments: true,
})

/** SQLite and SQL of the standard. Also reads what dollar quotes of PostgreSQL contain. */
export const STANDARD_SQL: SqlDialect = createDialect({
  comments: COMMENTS,
  strings: `${STRING}|${NO_DOLLAR_STRING}`,
  quoted: QUOTED,
  hasNestedComments: false,
})

export const MYSQL: SqlDialect = createDialect({
  comments: MYSQL_COMMENTS,
  strings: `${ESCAPED_STRING}|${NO_DOLLAR_STRING}`,
  quoted: ESCAPED_QUOTED,
  hasNestedComments: false,
})

/** Returns tokens that joined are the same SQL, in time linear in its length. */
export function* scanSql(sql: string, dialect: SqlDialect): Generator<SqlToken, void, undefined> {
  const { tokens } = dialect
  for (let index = 0; index < sql.length;) {
    tokens.lastIndex = index
    // Proof: the last alternative matches any character.
    const match = tokens.exec(sql) as RegExpExecArray
    const kind = KINDS.find((each, group) => each !== null && match[group] !== undefined) ?? 'plain'
    const isNested = dialect.hasNestedComments && kind === 'comment' && match[0].startsWith('/')
    const text = isNested ? sql.slice(index, findCommentEnd(sql, index)) : match[0]
    yield { kind, text, index }
    index += text.length
  }
}

/** Returns the index after a comment and all comments that it contains. */
function findCommentEnd(sql: string, from: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = from
  let depth = 0
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return sql.length
}
