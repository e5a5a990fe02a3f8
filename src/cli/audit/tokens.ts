/** Splits JavaScript into tokens. Comments, the content of templates, and regular expressions are left out. */

export interface Token {
  readonly kind: 'name' | 'string' | 'other'
  /** Without the quotes of a string. */
  readonly text: string
}

const SKIPPED = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)/y
const NAME = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const STRING = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y
const NUMBER = /\d[\w.]*/y
/** The part of a template up to its end or to the next expression. */
const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y
const PATTERN = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
/** After these names, a slash starts a regular expression. */
const BEFORE_PATTERN = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'await',
  'yield',
  'void',
  'delete',
  'new',
  'else',
])

/**
 * Returns the tokens of a module.
 *
 * @throws RangeError if a template, a string or an expression in a template has no end
 */
export function tokenize(code: string): Token[] {
  return new Tokenizer(code).all()
}

class Tokenizer {
  readonly #code: string
  readonly #tokens: Token[] = []
  /** For each open brace, whether it is an expression of a template. */
  readonly #braces: boolean[] = []
  #at = 0

  constructor(code: string) {
    this.#code = code
  }

  all(): Token[] {
    while (this.#at < this.#code.length) {
      if (this.#take(SKIPPED) === null) this.#next()
    }
    if (this.#braces.length > 0) throw new RangeError('An opening brace has no end')
    return this.#tokens
  }

  #next(): void {
    const name = this.#take(NAME)
    if (name !== null) return this.#add('name', name)
    const string = this.#take(STRING)
    if (string !== null) return this.#add('string', string.slice(1, -1))
    if (this.#take(NUMBER) !== null) return this.#add('other', '0')
    if (this.#code[this.#at] === '/' && this.#startsPattern() && this.#take(PATTERN) !== null)
      return this.#add('other', '0')
    this.#sign(this.#code.charAt(this.#at++))
  }

  #sign(sign: string): void {
    if (sign === '`') return this.#template()
    if (sign === "'" || sign === '"') throw new RangeError('A string has no end')
    if (sign === '{') this.#braces.push(false)
    if (sign === '}' && this.#braces.pop() === true) return this.#template()
    this.#add('other', sign)
  }

  /** Reads a template up to its end or its next expression, whose tokens are part of the module. */
  #template(): void {
    const part = this.#take(TEMPLATE)
    if (part === null) throw new RangeError('A template has no end')
    if (part.endsWith('`')) this.#add('other', '0')
    else this.#braces.push(true)
  }

  #startsPattern(): boolean {
    const lastToken = this.#tokens.at(-1)
    if (lastToken === undefined) return true
    if (lastToken.kind === 'name') return BEFORE_PATTERN.has(lastToken.text)
    return lastToken.kind === 'other' && !/^[0)\]}]$/.test(lastToken.text)
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const [taken] = pattern.exec(this.#code) ?? []
    if (taken === undefined) return null
    this.#at += taken.length
    return taken
  }

  #add(kind: Token['kind'], text: string): void {
    this.#tokens.push({ kind, text })
  }
}
