/** The uses of Node.js and of global functions by a module, found in its code. */
import { tokenize, type Token } from './tokens.js'

/** A module that is imported, or loaded when it is needed. */
interface Import {
  /** `node:fs`, or a relative path. */
  readonly module: string
  /** Imported names; empty if the whole module is imported. */
  readonly names: readonly string[]
}

export interface ModuleFacts {
  readonly imports: readonly Import[]
  /** Global functions with a capability: such as `fetch`, `eval`, `Function` or `process.env`. */
  readonly globals: readonly string[]
  /** Names of environment variables. */
  readonly variables: readonly string[]
}

const LOADERS = new Set(['import', 'require', 'getBuiltinModule'])
const CALLED = new Set(['eval', 'Function', 'WebAssembly', 'fetch', 'WebSocket', 'EventSource'])
const MEMBERS = new Set(['env', 'binding', 'dlopen', '_linkedBinding'])
/** A token before the name of a global function that is used. Before a method of this name there is another one. */
const BEFORE_VALUE = /^(?:[=(,?:&|!+>[]|\?\?|return|await|new|typeof|void|case|yield)$/
/** A name of an environment variable. Other constants in capitals are not found in strings. */
const VARIABLE = /^_{0,2}[A-Z](?:[A-Z0-9_]|[a-z]+[A-Z])[A-Za-z0-9_]*$/
const CAPITALS = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/
const ENVIRONMENT = /\b(?:readVariables|process\.env|Variables)\b/
/** The heading of each source file in a module of the package. */
const HEADING = /^\/\/ src\/\S+$/m

export function readFacts(code: string): ModuleFacts {
  const tokens = tokenize(code)
  return {
    imports: [...staticImports(tokens), ...lazyImports(tokens)],
    globals: [...new Set(tokens.flatMap((token, at) => globalAt(tokens, at, token)))],
    variables: [
      ...new Set(
        code
          .split(HEADING)
          .filter((part) => ENVIRONMENT.test(part))
          .flatMap(readVariableNames),
      ),
    ].toSorted(),
  }
}

/** `import { a, b as c } from 'x'`, `export { a } from 'x'`, `import x from 'x'` and `import 'x'`. */
function staticImports(tokens: readonly Token[]): Import[] {
  return tokens.flatMap(({ kind, text }, at) => {
    const before = textAt(tokens, at - 1)
    if (kind !== 'string' || (before !== 'from' && before !== 'import')) return []
    return [{ module: text, names: importedNames(tokens, at - 2) }]
  })
}

/** Reads the names in braces backwards: of `a as b`, the first is the imported one. */
function importedNames(tokens: readonly Token[], end: number): string[] {
  if (textAt(tokens, end) !== '}' || textAt(tokens, end + 1) !== 'from') return []
  const start = tokens.slice(0, end).findLastIndex(({ text }) => text === '{')
  const inside = tokens.slice(start + 1, end).map(({ text }) => text)
  return inside.filter((text, at) => text !== ',' && text !== 'as' && inside[at - 1] !== 'as')
}

/** `import('x')`, `require('x')` and `process.getBuiltinModule('x')`. A computed name is `?`. */
function lazyImports(tokens: readonly Token[]): Import[] {
  return tokens.flatMap(({ kind, text }, at) => {
    if (kind !== 'name' || !LOADERS.has(text) || textAt(tokens, at + 1) !== '(') return []
    const isFixed = tokens[at + 2]?.kind === 'string' && /^[),]$/.test(textAt(tokens, at + 3))
    return [{ module: isFixed ? textAt(tokens, at + 2) : '?', names: [] }]
  })
}

function globalAt(tokens: readonly Token[], at: number, { kind, text }: Token): string[] {
  const [owner, before] = [textAt(tokens, at - 2), textAt(tokens, at - 1)]
  if (kind === 'string') return before === '[' && owner === 'globalThis' ? [text] : []
  if (kind !== 'name') return []
  if (before === '.' && owner === 'process') return MEMBERS.has(text) ? [`process.${text}`] : []
  return isGlobalFunction(text, textAt(tokens, at + 1)) && isGlobalValue(tokens, at) ? [text] : []
}

function isGlobalFunction(text: string, after: string): boolean {
  return CALLED.has(text) && (text !== 'Function' || after === '(')
}

/** Whether a name is the global value, instead of a key, a method or a member. */
function isGlobalValue(tokens: readonly Token[], at: number): boolean {
  const before = textAt(tokens, at - 1)
  if (before === '.') return textAt(tokens, at - 2) === 'globalThis'
  return !isKey(tokens, at) && (at === 0 || BEFORE_VALUE.test(before))
}

/** Whether a name is a key, such as `fetch` in `{ fetch: send }`. */
function isKey(tokens: readonly Token[], at: number): boolean {
  return textAt(tokens, at + 1) === ':' && /^[{,]$/.test(textAt(tokens, at - 1))
}

function textAt(tokens: readonly Token[], at: number): string {
  return tokens[at]?.text ?? ''
}

/** Names that a source file reads from the environment, as strings or as keys of a pattern. */
function readVariableNames(part: string): string[] {
  const tokens = tokenize(part)
  return tokens.flatMap((token, at) => {
    if (token.kind === 'string')
      return isVariableString(token.text, textAt(tokens, at - 2)) ? [token.text.replace(/_$/, '_*')] : []
    return isKey(tokens, at) && VARIABLE.test(token.text) ? [token.text] : []
  })
}

/** The first argument of a `SetupError` is a code. */
function isVariableString(text: string, caller: string): boolean {
  return CAPITALS.test(text) && caller !== 'SetupError'
}
