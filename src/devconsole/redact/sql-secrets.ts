/** Finds secrets in SQL by the names of their columns: in comparisons, assignments and inserts. Parses no full grammar. */
import { REDACTED, type IsSecret } from '../../secrets/secret-forms.js'

/** Strings, quoted names, placeholders, words, numbers and punctuation. Comments are skipped. */
const TOKEN =
  /'(?:[^']|'')*'?|"[^"]*"?|`[^`]*`?|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\$\d+|[:@$]\w+|[\p{L}_][\p{L}\p{N}_$]*|\d+|<>|!=|[<>]=|[^\s]/gu
const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '>', '<=', '>=', 'like', 'ilike', 'in'])

interface SecretValue {
  /** Position of a literal in the text; `null` for a placeholder. */
  readonly range: readonly [from: number, to: number] | null
  /** Index of the parameter of a placeholder. */
  readonly param: number
}

/** Replaces literals of secret columns, and returns the indices of the parameters that are secret. */
export function hideSqlSecrets(text: string, isSecret: IsSecret): { text: string; secretParams: ReadonlySet<number> } {
  const values = new SqlReader(isSecret).read(text)
  let output = ''
  let end = 0
  for (const { range } of values) {
    if (range === null) continue
    output += `${text.slice(end, range[0])}'${REDACTED}'`
    end = range[1]
  }
  const params = values.filter(({ range }) => range === null).map(({ param }) => param)
  return { text: end === 0 ? text : output + text.slice(end), secretParams: new Set(params) }
}

/** Reads the tokens of a statement once, from left to right. */
class SqlReader {
  readonly #isSecret: IsSecret
  readonly #values: SecretValue[] = []
  /** The last column, and whether an operator followed it. */
  #column = ''
  #isCompared = false
  #placeholders = 0
  /** Columns of an insert, `null` outside of one; whether its `VALUES` were read; position in the current row. */
  #columns: string[] | null = null
  #isInValues = false
  #position = 0
  #depth = 0

  constructor(isSecret: IsSecret) {
    this.#isSecret = isSecret
  }

  read(text: string): readonly SecretValue[] {
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (token.startsWith('--') || token.startsWith('/*')) continue
      this.#take(token, index)
    }
    return this.#values
  }

  #take(token: string, index: number): void {
    const word = token.toLowerCase()
    if (token === '?' || /^(?:\$\d+|[:@]\w+)$/.test(token)) this.#placeholder(token)
    else if (token.startsWith("'") || /^\d+$/.test(token)) this.#literal(token, index)
    else if (COMPARISONS.has(word)) this.#isCompared = true
    else if (word === 'into') this.#columns = []
    else if (word === 'values' && this.#columns !== null) this.#isInValues = true
    else if ('(),'.includes(token)) this.#punctuate(token)
    else if (/^["`\p{L}_]/u.test(token)) this.#name(token.replaceAll(/["`]/g, ''))
  }

  #punctuate(token: string): void {
    if (token === '(') this.#depth++
    else if (token === ')') this.#depth--
    else if (this.#depth <= 1) this.#position++
    if (token === '(' && this.#depth === 1) this.#position = 0
    // `in ($1, $2)` compares with each value. After a value of an assignment, the next name is another column.
    if (token === ',' && this.#depth === 0) this.#isCompared = false
  }

  #name(name: string): void {
    if (this.#columns !== null && !this.#isInValues && this.#depth === 1) this.#columns.push(name)
    // In `password = crypt($1)` the function is not the column.
    if (!this.#isCompared) this.#column = name
    else if (/^(?:and|or|where|set|returning|on)$/i.test(name)) this.#isCompared = false
  }

  #isSecretHere(): boolean {
    if (this.#isInValues) return this.#isSecret(this.#columns?.[this.#position] ?? '')
    return this.#isCompared && this.#isSecret(this.#column)
  }

  #placeholder(token: string): void {
    const param = token.startsWith('$') ? Number(token.slice(1)) - 1 : this.#placeholders
    this.#placeholders++
    if (this.#isSecretHere() || this.#isSecret(token.slice(1))) this.#values.push({ range: null, param })
  }

  #literal(token: string, index: number): void {
    if (this.#isSecretHere()) this.#values.push({ range: [index, index + token.length], param: -1 })
  }
}
