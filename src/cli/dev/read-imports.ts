/**
 * Reads the imports of a module from its text. It must find all of them, so it does not parse: each text between two quotes can name a
 * module, even in a comment. A wrong name costs a test that did not have to run.
 */

interface ModuleImports {
  /** Possible names and paths of modules and files. */
  readonly names: readonly string[]
  /** Names of modules from which it imports only types, which are not loaded. */
  readonly types: readonly string[]
  /** Whether it can load modules or read files that `names` does not contain. */
  readonly isOpen: boolean
}

const MAX_NAME_LENGTH = 300

/** Imports of types. Any other form counts as an import of values. */
const TYPES =
  /^[ \t]*(?:import|export)[ \t]+type[ \t]+(?:\*(?:[ \t]+as[ \t]+[\w$]+)?|[\w$]+|\{[\w$\s,]*\})[ \t]+from[ \t]+(['"])([^'"\\\n]+)\1/gm

const OPEN: readonly RegExp[] = [
  // A module that an expression names.
  /\b(?:import(?:\.meta\.resolve|\.defer|\.source)?|require(?:\.\w+)?)\s*(?:\/[*/]|\((?!\s*(?:'[^'\\\n]*'|"[^"\\\n]*"|`[^`\\$]*`)\s*[,)]))/,
  /[=,:(]\s*require\s*[;,)\n]/,
  // Modules of Node that read files, or run code from files.
  /['"`](?:node:)?(?:fs(?:\/promises)?|child_process|cluster|module|vm|worker_threads)['"`]/,
  // The base of other paths than `new URL('./schema.json', import.meta.url)`.
  /\bimport\.meta\b(?<!\.\w+['"],\s*import\.meta)(?!\.(?:resolve|main|env)\b)/,
  /\b__(?:dirname|filename)\b|\bprocess\.cwd\b/,
  // A name with an escape.
  /['"`][./#][^'"`\s]*[\\%]/,
]

export function readImports(text: string): ModuleImports {
  const types: string[] = []
  const code = text.replace(TYPES, (_import, _quote, name: string) => {
    types.push(name)
    return ''
  })
  const names = code.split(/['"`]/).filter((name) => name.length <= MAX_NAME_LENGTH && !name.includes('\n'))
  return { names, types, isOpen: OPEN.some((pattern) => pattern.test(code)) }
}
