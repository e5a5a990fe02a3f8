/** Operands: what stands behind an operator in a constraint, `1.4`, `1.x`, `*` or `2026-01-31`. */
import { LEAST, parseVersion, versionBehind, type Version } from './version.js'

/** An operand that was read. */
export interface Operand {
  /** The first version that it means. */
  readonly from: Version
  /** The first version behind those that it means; `null` where there is none. */
  readonly to: Version | null
  /** How many of its parts are said: 0 to 3; a date says all. */
  readonly size: number
}

const WILDCARD = /^[xX*]$/
const PARTIAL = /^(?:[0-9]+|[xX*])(?:\.(?:[0-9]+|[xX*])){0,2}$/

/** Reads an operand. */
export function readOperand(text: string): Operand | string {
  const rule = FLAWS.find(({ broken }) => broken(text))
  if (rule !== undefined) return rule.says(text)
  const said = PARTIAL.test(text) ? saidParts(text) : [text]
  const from = said.length === 0 ? LEAST.number : parseVersion(said.join('.'))
  if (from === undefined) return `"${text}" is no version. ${FORMS}`
  const size = from.kind === 'date' ? 3 : said.length
  return { from, to: size === 0 ? null : versionBehind(from, size - 1), size }
}

function saidParts(text: string): string[] {
  return text.split('.').filter((part) => !WILDCARD.test(part))
}

/** What a constraint looks like, for the texts of errors. */
export const FORMS =
  'Write such as ">=1.2.0 <2", "^1.4", "1.x || 2.x", "1.2 - 2.3", or with dates ">=2026-01-01 <2026-07-01"'

interface Flaw {
  readonly broken: (text: string) => boolean
  readonly says: (text: string) => string
}

// The first that is broken speaks.
const FLAWS: readonly Flaw[] = [
  {
    broken: (text) => /^[vV][0-9]/.test(text),
    says: (text) => `"${text}" begins with a letter. Write "${text.slice(1)}"`,
  },
  {
    broken: (text) => /[,;&]/.test(text),
    says: () => 'a space alone means "and". Write ">=1.2.0 <2.0.0"',
  },
  {
    broken: (text) => /^[0-9]{4}-/.test(text) && parseVersion(text) === undefined,
    says: (text) => `"${text}" is no day of the calendar. Write one as "2026-01-31"`,
  },
  {
    broken: (text) => /^[0-9]+(?:\.[0-9]+){2}[-+]/.test(text),
    says: (text) =>
      `"${text}" is a prerelease or has build metadata, which clients cannot ask for. ` +
      `Write "${text.replace(/[-+].*/, '')}"`,
  },
  {
    broken: (text) => PARTIAL.test(text) && /[xX*]\.[0-9]/.test(text),
    says: (text) => `a number stands behind the wildcard of "${text}". Write "${text.replace(/[xX*].*/, 'x')}"`,
  },
]
