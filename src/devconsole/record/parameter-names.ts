/** The names of a function's parameters, read from its text: they tell which of its arguments is a secret. */

const MOST_TEXT = 1_000
/** The first list in parentheses. A default or a pattern with parentheses of its own ends it early; the names before that count. */
const LIST = /^[^({=]*\(([^()]*)/
/** An arrow function with one parameter needs no parentheses. */
const ALONE = /^(?:async\s+)?([\w$\p{L}]+)\s*=>/u
/** Patterns may hold commas. The secrets in what they take apart have names of their own. */
const PATTERN = /\{[^{}]*\}|\[[^[\]]*\]/g
const NAME = /^\s*(?:\.\.\.)?([\w$\p{L}]+)/u

const known = new WeakMap<object, readonly string[]>()

export function parameterNames(method: object): readonly string[] {
  const before = known.get(method)
  if (before !== undefined) return before
  const names = read(method)
  known.set(method, names)
  return names
}

function read(method: object): string[] {
  const text = Function.prototype.toString.call(method).slice(0, MOST_TEXT)
  const [, list = ''] = ALONE.exec(text) ?? LIST.exec(text) ?? []
  return list.trim() === ''
    ? []
    : list
        .replace(PATTERN, '')
        .split(',')
        .map((parameter) => NAME.exec(parameter)?.[1] ?? '')
}
