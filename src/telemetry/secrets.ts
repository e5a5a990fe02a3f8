/** What must not be shown to whoever reads a log: names and forms of secrets, the lists in one place. */

/** Additions to the lists of what is hidden, or lists in the place of them. */
export interface RedactOptions {
  /** Names of header fields whose values are hidden; any case. */
  readonly headers?: readonly string[]
  /** Names of members whose values are hidden, at any depth; case, `-` and `_` do not count. */
  readonly keys?: readonly string[]
  /** What is hidden wherever it stands in a text. */
  readonly values?: readonly RegExp[]
  /**
   * Whether the lists given here stand in the place of the usual ones, instead of adding to them; `false` unless given. A list
   * that is not given stays as it is. What the usual lists hid is shown then, to whoever reads the log or sees the console.
   */
  readonly replaceDefaults?: boolean
}

const HEADERS: readonly string[] = [
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'api-key', 'x-auth-token'],
  ...['x-csrf-token', 'x-xsrf-token', 'x-amz-security-token'],
]

const KEYS: readonly string[] = [
  ...['password', 'passwd', 'pwd', 'passphrase', 'secret', 'clientsecret', 'token', 'accesstoken', 'refreshtoken'],
  ...['idtoken', 'apikey', 'privatekey', 'authorization', 'cookie', 'session', 'sessionid', 'otp', 'pin', 'cvv'],
  ...['cvc', 'cardnumber', 'iban', 'ssn'],
]

/** Bearer tokens, JSON Web Tokens, PEM blocks, user information in URLs; each in time that is linear in the text. */
const VALUES: readonly RegExp[] = [
  /\bbearer +[^\s"',;]+/gi,
  /(?<![\w-])eyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?/g,
  /-----BEGIN [^-]*-----[^]*?(?:-----END [^-]*-----|$)/g,
  /(?<=:\/\/)[^\s/?#]+(?=@)/g,
]

/** Something of each of them: most texts have none, and asking that first costs a ninth of four replacements (Node 20). */
const TRACE = /bearer |eyJ|-----BEGIN |:\/\//i

/** What stands in the place of a secret; it does not tell how long that is. */
export const REDACTED = 'redacted'

/** The lists of an app. */
export class Secrets {
  readonly #headers: ReadonlySet<string>
  readonly #keys: ReadonlySet<string>
  readonly #usual: readonly RegExp[]
  readonly #values: readonly RegExp[]
  /** Names of the lists that stand in the place of the usual ones: `keys`. */
  readonly replaced: readonly string[]

  /** @param given what is added to the lists, or stands in their place */
  constructor({ headers, keys, values, replaceDefaults = false }: RedactOptions = {}) {
    const listOf = <T>(usual: readonly T[], own: readonly T[] | undefined): readonly T[] =>
      replaceDefaults ? (own ?? usual) : [...usual, ...(own ?? [])]
    this.#headers = new Set(listOf(HEADERS, headers).map((name) => name.toLowerCase()))
    this.#keys = new Set(listOf(KEYS, keys).map(bare))
    this.#usual = replaceDefaults && values !== undefined ? [] : VALUES
    this.#values = (values ?? []).map(everywhere)
    const lists = Object.entries({ headers, keys, values })
    this.replaced = replaceDefaults ? lists.flatMap(([name, list]) => (list === undefined ? [] : [name])) : []
  }

  /**
   * Tells whether the value of a header field is hidden.
   *
   * @param name of the field, any case
   * @returns true for a secret
   */
  isHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase())
  }

  /**
   * Tells whether the value of a member is hidden.
   *
   * @param name of the member
   * @returns true for a secret
   */
  isKey(name: string): boolean {
    return this.#keys.has(bare(name))
  }

  /**
   * Hides what looks like a secret.
   *
   * @param text any text
   * @returns the text without them
   */
  hide(text: string): string {
    const left = TRACE.test(text) ? without(text, this.#usual) : text
    return this.#values.length === 0 ? left : without(left, this.#values)
  }
}

function without(text: string, forms: readonly RegExp[]): string {
  return forms.reduce((left, form) => left.replace(form, REDACTED), text)
}

/** Most names have nothing to be taken out, and to look for it costs less than to replace it. */
function bare(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes('-') || lower.includes('_') ? lower.replaceAll(/[-_]/g, '') : lower
}

/** Sticky or not global, an author's expression would leave the second secret of a text. */
function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, [...new Set([...flags.replace('y', ''), 'g'])].join(''))
}
