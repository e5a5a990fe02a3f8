/** Finds secrets in SQL by the names of their columns: in comparisons, assignments and inserts. Parses no full grammar. */
import { REDACTED, type IsSecret } from '../../secrets/secret-forms.js'
import { MYSQL, POSTGRES, scanSql, STANDARD_SQL, type SqlDialect, type SqlToken } from '../wire/sql-tokens.js'

const COMPARISONS: ReadonlySet<string> = new Set(
  '= <> != < > <= >= ~ like ilike in is between similar regexp rlike glob'.split(' '),
)
/** Words after which another condition, column or query follows. */
const ENDS: ReadonlySet<string> = new Set(
  'and or where set returning on from join using having order group select values'.split(' '),
)
/** Words before a string that is a constant. */
const CONSTANTS = /^(?:interval|date|time|timestamp|until|zone|escape)$/i
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

/**
 * Reads the tokens of a statement once, from left to right. If it does not find the column of a parameter, and a name of the statement is
 * secret, it hides all parameters, and the strings without a column.
 */
class SqlReader {
  readonly #text: string
  readonly #isSecret: IsSecret
  readonly #names: Map<string, boolean>
  readonly #values: SecretValue[] = []
  /** All parameters, and the strings without a column. */
  readonly #unknown: SecretValue[] = []
  #isUnclear = false
  #namesSecret = false
  /** The last name, and the column that it or an earlier name is; whether an operator followed it. A secret column has precedence. */
  #name = ''
  #column = ''
  #isCompared = false
  /** The last string, if it can be the secret key of a JSON value. */
  #key = ''
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
    if (!this.#namesSecret) return this.#values
    if (this.#isUnclear) for (const name of this.#names.keys()) this.#names.set(name, true)
    return [...this.#values, ...this.#unknown.filter(({ range }) => range !== null || this.#isUnclear)]
  }

  #read(token: SqlToken): void {
    const { kind, text } = token
    if (kind === 'parameter') this.#placeholder(text)
    else if (kind === 'string' || kind === 'number') this.#literal(token)
    else if (kind === 'quoted') this.#quoted(token)
    else if (kind === 'word') this.#word(token)
    else this.#punctuate(text)
  }

  #punctuate(text: string): void {
    if (text === '=>') this.#column = this.#name
    if (text === '=>' || COMPARISONS.has(text)) this.#compare()
    if (text === '(') this.#depth++
    else if (text === ')') this.#endParentheses()
    else if (text === ',') this.#endElement()
    if (text === '(' && this.#depth === 1) this.#position = 0
  }

  #compare(): void {
    this.#isCompared = true
    // In `a = 1 || password = 2`, no word ends the first condition.
    if (this.#column === '' || this.#isSecret(this.#name)) this.#column = this.#name
  }

  /** A row with fewer values than columns has an array as parameter, which the driver expands. */
  #endParentheses(): void {
    this.#depth--
    if (this.#isInValues && this.#depth === 0 && this.#columns?.length !== this.#position + 1) this.#isUnclear = true
  }

  #endElement(): void {
    if (this.#depth <= 1) this.#position++
    // `jsonb_set(data, '{password}', $1)`
    if (this.#key !== '') this.#compareKey()
    // `in ($1, $2)` compares with each value. After a value of an assignment, the next name is another column.
    if (this.#depth === 0) this.#endComparison()
  }

  #compareKey(): void {
    this.#column = this.#key
    this.#isCompared = true
    this.#namesSecret = true
  }

  #endComparison(): void {
    this.#isCompared = false
    this.#column = ''
    this.#key = ''
  }

  #word(token: SqlToken): void {
    const word = token.text.toLowerCase()
    if (COMPARISONS.has(word)) {
      this.#compare()
      this.#isBetween = word === 'between'
    } else if (word === 'into' || word === 'insert') this.#beginInsert()
    else if (word === 'values' && this.#columns !== null) this.#isInValues = true
    else if (word === 'and' && this.#isBetween) this.#isBetween = false
    else if (ENDS.has(word) && !/^distinct$/i.test(this.#previous.text)) this.#endCondition()
    else this.#addWord(token, word)
  }

  #addWord(token: SqlToken, word: string): void {
    if (word === 'case') this.#isUnclear = true
    if (word === 'limit' || word === 'offset' || word === 'identified') {
      this.#column = word === 'identified' ? 'password' : word
      this.#isCompared = true
    } else if (this.#isIdentifier()) this.#hide(token)
    else this.#addName(token.text)
  }

  /** Whether a name is the password of `identified by name` (Oracle). */
  #isIdentifier(): boolean {
    return /^by$/i.test(this.#previous.text) && this.#isSecretHere()
  }

  #beginInsert(): void {
    this.#columns = []
    this.#isInValues = false
  }

  /** After the rows of an insert, `on conflict`, `returning` and other statements follow. */
  #endCondition(): void {
    this.#endComparison()
    if (this.#depth > 0) return
    this.#columns = null
    this.#isInValues = false
  }

  #addName(name: string): void {
    this.#name = name
    const isSecret = this.#isSecret(name)
    if (isSecret) this.#namesSecret = true
    if (this.#columns !== null && !this.#isInValues && this.#depth === 1) this.#columns.push(name)
    // In `password = crypt($1)` the function is not the column. In `(password, name) = ($1, $2)`, one column is secret.
    if (!this.#isCompared && (isSecret || !this.#isSecret(this.#column))) this.#column = name
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
    if (this.#isIdentifier() || (isValue && this.#isSecretHere())) this.#hide(token)
    else this.#addName(text.replaceAll(/["`[\]]/g, ''))
  }

  /** The column of a value at this position; empty if it is not known. */
  #columnHere(): string {
    if (this.#isCompared && (!this.#isInValues || this.#isSecret(this.#column))) return this.#column
    return this.#isInValues && this.#depth > 0 ? (this.#columns?.[this.#position] ?? '') : ''
  }

  #isSecretHere(): boolean {
    return this.#isSecret(this.#columnHere())
  }

  /** `?` is the parameter after the last one, also after `?5` (SQLite). */
  #placeholder(text: string): void {
    const name = text.slice(1)
    const namesSecret = this.#isSecret(name)
    const isSecret = namesSecret || this.#isSecretHere()
    const isNamed = /^\D/.test(name)
    const number = Number(name) - 1
    const [index, unnamed] = isNamed || name === '' ? [this.#placeholders, this.#unnamed] : [number, number]
    this.#placeholders = Math.max(this.#placeholders, index + 1)
    if (isNamed) this.#names.set(name, isSecret || this.#names.get(name) === true)
    else this.#unnamed = Math.max(this.#unnamed, unnamed + 1)
    if (namesSecret) this.#namesSecret = true
    if (this.#columnHere() === '') this.#isUnclear = true
    const collected = isSecret ? this.#values : this.#unknown
    collected.push({ range: null, params: isNamed ? [index] : [index, unnamed] })
    // `exec sign_in @password = 'x'`
    if (text.startsWith('@')) this.#addName(name)
  }

  #literal(token: SqlToken): void {
    const { kind, text, index } = token
    if (this.#isSecretHere() || this.#isAfterSecret()) return this.#hide(token)
    if (kind !== 'string') return
    const key = text.length <= MAX_KEY_LENGTH ? (/(?<!\w)(\w+)\W*$/.exec(text)?.[1] ?? '') : ''
    this.#key = this.#isSecret(key) ? key : ''
    const isUnknown = this.#columnHere() === '' && !CONSTANTS.test(this.#previous.text)
    // The key of `data->>'password' = 'x'`.
    if (isUnknown) this.#addName(key)
    if (isUnknown && this.#key === '') this.#unknown.push({ range: [index, index + text.length], params: [] })
  }

  /** In `create user ada password 'x'`, the value follows without an operator. */
  #isAfterSecret(): boolean {
    return this.#previous.kind === 'word' && this.#isSecret(this.#previous.text)
  }

  #hide({ text, index }: SqlToken): void {
    this.#values.push({ range: [index, index + text.length], params: [] })
  }
}
