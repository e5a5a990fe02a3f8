/** The capabilities that modules of the package may use, as data. Every other use is a violation. */
import type { ModuleFacts } from './facts.js'

interface Capability {
  readonly name: string
  /** Modules of Node.js and global functions that grant it. */
  readonly uses: readonly string[]
  /** Modules of the package that may have it, with the purpose. */
  readonly allowed: Readonly<Record<string, string>>
}

/** The program, and the modules that only it loads. */
const CLI = 'cli*.js'

const CAPABILITIES: readonly Capability[] = [
  {
    name: 'listens for connections',
    uses: ['node:http', 'node:https', 'node:net'],
    allowed: {
      'http.js': 'the server of the app',
      [CLI]: 'prevents an imported app from listening; "verbena dev" listens for the app',
    },
  },
  {
    name: 'sends requests',
    uses: ['fetch'],
    allowed: {
      'features.js': 'keys of a JWKS for jwt()',
      'client.js': 'the requests of the typed client',
      [CLI]: '"verbena replay"; the console at "--url"',
    },
  },
  {
    name: 'uses files',
    uses: ['node:fs', 'node:fs/promises'],
    allowed: {
      'files.js': 'reads the folder of files()',
      'multipart.js': 'writes uploaded files to the folder that the app names, and removes them',
      'proofs.js': 'reads and writes the file of a proof; only in tests',
      'console.js': 'reads source code, and stores records with "devConsole.keep"; only in development',
      [CLI]: 'reads modules and documents, and writes the results of commands',
    },
  },
  {
    name: 'reads environment variables',
    uses: ['process.env'],
    allowed: {
      'ground.js': 'NODE_ENV',
      'proofs.js': 'settings of the test; only in tests',
      'setup.js': 'environment()',
      'console.js': 'the editor; only in development',
      [CLI]: 'colors of the terminal; "verbena dev" passes all to the app',
    },
  },
  { name: 'loads modules by name', uses: ['node:module', '?'], allowed: { [CLI]: 'the module of the app' } },
  {
    name: 'inspects functions',
    uses: ['node:inspector', 'node:inspector/promises'],
    allowed: { [CLI]: 'places of classes; "verbena dev --inspect"' },
  },
  {
    name: 'starts processes',
    uses: ['node:child_process', 'node:cluster', 'node:test'],
    allowed: {
      'proofs.js': 'subtests of node:test, which start no process; only in tests',
      [CLI]: 'commands; the app and the tests of "verbena dev"',
    },
  },
  { name: 'makes code from strings', uses: ['eval', 'Function', 'node:vm', 'WebAssembly', 'node:wasi'], allowed: {} },
  { name: 'loads native code', uses: ['process.binding', 'process.dlopen', 'process._linkedBinding'], allowed: {} },
  { name: 'starts threads', uses: ['node:worker_threads'], allowed: {} },
  {
    name: 'uses other networks',
    uses: ['node:tls', 'node:http2', 'node:dgram', 'node:dns', 'node:dns/promises', 'WebSocket', 'EventSource'],
    allowed: {},
  },
]

/** Modules without access to files, networks, processes or code. */
const HARMLESS = new Set([
  ...['node:async_hooks', 'node:buffer', 'node:crypto', 'node:diagnostics_channel', 'node:events', 'node:path'],
  ...[
    'node:perf_hooks',
    'node:stream',
    'node:timers/promises',
    'node:tty',
    'node:url',
    'node:util',
    'node:util/types',
    'node:zlib',
  ],
])

/** A capability that a module of the package uses. */
export interface CapabilityUse {
  readonly capability: string
  readonly file: string
  readonly uses: readonly string[]
  /** `null` if the module may not have it. */
  readonly purpose: string | null
}

/** Finds the capabilities of modules of the package, in the order of the table. Modules of Node.js that it does not list are reported. */
export function findCapabilities(facts: ReadonlyMap<string, ModuleFacts>): CapabilityUse[] {
  const used = [...facts].map(([file, found]) => ({ file, uses: listAllUses(found) }))
  const listed = CAPABILITIES.flatMap(({ name, uses, allowed }) => {
    return used.flatMap((each) => {
      const ownUses = uses.filter((use) => each.uses.includes(use))
      return ownUses.length === 0
        ? []
        : [{ capability: name, file: each.file, uses: ownUses, purpose: findPurpose(each.file, allowed) }]
    })
  })
  const knownUses = new Set([...HARMLESS, ...CAPABILITIES.flatMap(({ uses }) => uses)])
  const unknown = used.flatMap(({ file, uses }) => {
    const otherUses = uses.filter((use) => !knownUses.has(use))
    return otherUses.length === 0
      ? []
      : [{ capability: 'uses a module that is not listed', file, uses: otherUses, purpose: null }]
  })
  return [...listed, ...unknown]
}

function listAllUses({ imports, globals, variables }: ModuleFacts): string[] {
  const modules = imports.map(({ module }) => module).filter((module) => !module.startsWith('.'))
  return [...new Set([...modules, ...globals, ...(variables.length > 0 ? ['process.env'] : [])])]
}

function findPurpose(file: string, allowed: Capability['allowed']): string | null {
  return allowed[/^cli\b/.test(file) ? CLI : file] ?? null
}
