/** Finds secrets in SQL by the names of their columns: in comparisons, assignments and inserts. Parses no full grammar. */
import { REDACTED, type IsSecret } from '../../secrets/secret-forms.js'
import { MYSQL, POSTGRES, scanSql, STANDARD_SQL, type SqlDialect, type SqlToken } from '../wire/sql-tokens.js'

const COMPARISONS: ReadonlySet<string> = new Set(
  '= <> != < > <= >= ~ like ilike in is between similar regexp rlike glob'.split(' '),
)
/** Words after which another condition or column follows. */
const ENDS: ReadonlySet<string> = new Set(['and', 'or', 'where', 'set', 'returning', 'on'])
/** Maximum length of a JSON key or path, such as `'$.password'`, whose last name counts as a column. */
const MAX_KEY_LENGTH = 100

/** Syntax that dialects read differently: backslashes, MySQL comments, comments in comments, and dollar quotes. */
const IS_AMBIGUOUS = /[\\#]|\/\*|--|\$(?:\$|[A-Za-z_\u0080-\uffff])/
const DIALECTS: readonly SqlDialect[] = [POSTGRES, STANDARD_SQL, MYSQL]

interface SecretValue {
  /** Position of a literal in the text; `null` for a placeholder. */
  readonly range: readonly [from: number, to: number] | null
  /** Indices of the parameter of a placeholder: among all, and among those without names. */
  readonly params: readonly number[]
}

export interface SqlSecrets {
  readonly text: string
  /** Indices of secret parameters. An object with the named parameters is not counted. */
  readonly secretParams: ReadonlySet<number>
  /** Names of placeholders such as `:id`, and whether their parameters are secret. */
  readonly names: ReadonlyMap<string, boolean>
}

/**
 * Replaces literals of secret columns, and finds the parameters that are secret. The database is unknown, so ambiguous SQL is read in each
 * dialect, and everything that is secret in one of them is hidden.
 */
export function hideSqlSecrets(text: string, isSecret: IsSecret): SqlSecrets {
  const dialects = IS_AMBIGUOUS.test(text) ? DIALECTS : [POSTGRES]
  const names = new Map<string, boolean>()
  const values = dialects.flatMap((dialect) => new SqlReader(text, isSecret, names).read(dialect))
  const ranges = values.flatMap(({ range }) => (range === null ? [] : [range])).toSorted(([a], [b]) => a - b)
  let output = ''
  let end = 0
  for (const [from, to] of ranges) {
    if (from >= end) output += `${text.slice(end, from)}'${REDACTED}'`
    end = Math.max(end, to)
  }
  const secretParams = new Set(values.flatMap(({ params }) => params))
  return { text: end === 0 ? text : output + text.slice(end), secretParams, names }
}

const START: SqlToken = { kind: 'space', text: '', index: 0 }

/** Reads the tokens of a statement once, from left to right. */
class SqlReader {
  readonly #text: string
  readonly #isSecret: IsSecret
  readonly #names: Map<string, boolean>
  readonly #values: SecretValue[] = []
  /** The last name, and the column that it or an earlier name is; whether an operator followed it. */
  #name = ''
  #column = ''
  #isCompared = false
  /** Whether an `and` follows that belongs to `between`. */
  #isBetween = false
  /** Number of parameters so far: all, and without named ones. */
  #placeholders = 0
  #unnamed = 0
  /** Columns of an insert, `null` outside of one; whether its `VALUES` were read; position in the current row. */
  #columns: string[] | null = null
  #isInValues = false
  #position = 0
  #depth = 0
  /** The last token, without whitespace and comments. */
  #previous: SqlToken = START

  constructor(text: string, isSecret: IsSecret, names: Map<string, boolean>) {
    this.#text = text
    this.#isSecret = isSecret
    this.#names = names
  }

  read(dialect: SqlDialect): readonly SecretValue[] {
    for (const token of scanSql(this.#text, dialect)) {
      if (token.kind === 'space' || token.kind === 'comment') continue
      this.#read(token)
      this.#previous = token
    }
    return this.#values
  }

  #read(token: SqlToken): void {
    const { kind, text } = token
    if (kind === 'parameter') this.#placeholder(text)
    else if (kind === 'string' || kind === 'number') this.#literal(token)
    else if (kind === 'quoted') this.#quoted(token)
    else if (kind === 'word') this.#word(text)
    else this.#punctuate(text)
  }

  #punctuate(text: string): void {
    if (text === '=>') this.#column = this.#name
    if (text === '=>' || COMPARISONS.has(text)) this.#isCompared = true
    if (text === '(') this.#depth++
    else if (text === ')') this.#depth--
    else if (text === ',' && this.#depth <= 1) this.#position++
    if (text === '(' && this.#depth === 1) this.#position = 0
    // `in ($1, $2)` compares with each value. After a value of an assignment, the next name is another column.
    if (text === ',' && this.#depth === 0) this.#isCompared = false
  }

  #word(text: string): void {
    const word = text.toLowerCase()
    if (COMPARISONS.has(word)) {
      this.#isCompared = true
      this.#isBetween = word === 'between'
    } else if (word === 'into') this.#columns = []
    else if (word === 'values' && this.#columns !== null) this.#isInValues = true
    else if (word === 'and' && this.#isBetween) this.#isBetween = false
    else if (ENDS.has(word)) this.#endCondition(word)
    else this.#addName(text)
  }

  /** After the rows of an insert, `on conflict` and `returning` follow. */
  #endCondition(word: string): void {
    this.#isCompared = false
    if (this.#depth > 0 || (word !== 'on' && word !== 'returning')) return
    this.#columns = null
    this.#isInValues = false
  }

  #addName(name: string): void {
    this.#name = name
    if (this.#columns !== null && !this.#isInValues && this.#depth === 1) this.#columns.push(name)
    // In `password = crypt($1)` the function is not the column.
    if (!this.#isCompared) this.#column = name
  }

  /** MySQL and SQLite also accept strings in double quotes. As a value in PostgreSQL, it would be a column, which is also hidden. */
  #quoted(token: SqlToken): void {
    const { text, index } = token
    const { kind, text: before } = this.#previous
    const isNext = this.#previous.index + before.length === index
    // In `tags[i]`, the brackets contain an index.
    if (text.startsWith('[') && isNext && kind === 'word') return
    const isAfterOperator = kind === 'plain' ? !'.)]'.includes(before) : COMPARISONS.has(before.toLowerCase())
    const isValue = text.startsWith('"') && isAfterOperator && this.#text[index + text.length] !== '.'
    if (isValue && this.#isSecretHere()) this.#hide(token)
    else this.#addName(text.replaceAll(/["`[\]]/g, ''))
  }

  #isSecretHere(): boolean {
    if (this.#isInValues) return this.#isSecret(this.#columns?.[this.#position] ?? '')
    return this.#isCompared && this.#isSecret(this.#column)
  }

  /** `?` is the parameter after the last one, also after `?5` (SQLite). */
  #placeholder(text: string): void {
    const name = text.slice(1)
    const isSecret = this.#isSecretHere() || this.#isSecret(name)
    const isNamed = /^\D/.test(name)
    const number = Number(name) - 1
    const [index, unnamed] = isNamed || name === '' ? [this.#placeholders, this.#unnamed] : [number, number]
    this.#placeholders = Math.max(this.#placeholders, index + 1)
    if (isNamed) this.#names.set(name, isSecret || this.#names.get(name) === true)
    else this.#unnamed = Math.max(this.#unnamed, unnamed + 1)
    if (isSecret) this.#values.push({ range: null, params: isNamed ? [index] : [index, unnamed] })
  }

  #literal(token: SqlToken): void {
    if (this.#isSecretHere() || this.#isAfterSecret()) this.#hide(token)
    // The key of `data->>'password' = 'x'`.
    else if (token.kind === 'string' && !this.#isCompared && token.text.length <= MAX_KEY_LENGTH)
      this.#column = /(?<!\w)(\w+)\W*$/.exec(token.text)?.[1] ?? ''
  }

  /** In `create user ada password 'x'`, the value follows without an operator. */
  #isAfterSecret(): boolean {
    return this.#previous.kind === 'word' && this.#isSecret(this.#previous.text)
  }

  #hide({ text, index }: SqlToken): void {
    this.#values.push({ range: [index, index + text.length], params: [] })
  }
}
