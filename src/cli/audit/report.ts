/** The result of an audit: facts about the package, and violations of its rules. */
import { findCapabilities, type CapabilityUse } from './capabilities.js'
import { readFacts, type ModuleFacts } from './facts.js'
import { listInactiveParts, type InactivePart } from './parts.js'
import type { PackageFile, PackageFiles } from './package-files.js'
import { listUnexpected } from './unexpected.js'

/** A module of Node.js, with the modules of the package that import it and the imported names. */
interface BuiltinUse {
  readonly module: string
  readonly files: Readonly<Record<string, readonly string[]>>
}

interface VariableUse {
  readonly name: string
  readonly files: readonly string[]
}

export interface AuditReport {
  readonly package: { readonly name: string; readonly version: string }
  readonly dependencies: readonly string[]
  readonly installScripts: readonly string[]
  readonly builtins: readonly BuiltinUse[]
  readonly capabilities: readonly CapabilityUse[]
  readonly variables: readonly VariableUse[]
  readonly inactive: readonly InactivePart[]
  readonly files: readonly PackageFile[]
  readonly violations: readonly string[]
}

export function createReport(read: PackageFiles): AuditReport {
  const { manifest, files } = read
  const facts = new Map([...read.code].map(([file, code]) => [file, readFacts(code)]))
  const capabilities = findCapabilities(facts)
  return {
    package: { name: manifest.name, version: manifest.version },
    dependencies: manifest.dependencies,
    installScripts: manifest.installScripts,
    builtins: listBuiltins(facts),
    capabilities,
    variables: listVariables(facts),
    inactive: listInactiveParts(files),
    files,
    violations: [
      ...manifest.dependencies.map((name) => `package.json: the package depends on ${name}`),
      ...manifest.installScripts.map((name) => `package.json: the script "${name}" can run at installation`),
      ...listUnexpected(read),
      ...capabilities.filter(({ purpose }) => purpose === null).map(describeUse),
      ...files
        .filter(({ state }) => state === 'changed')
        .map(({ path }) => `${path}: its SHA-256 is not that of the build`),
      ...files.filter(({ state }) => state === 'unlisted').map(({ path }) => `${path}: the build did not write it`),
      ...read.missing.map((path) => `${path}: the file does not exist`),
    ],
  }
}

function describeUse({ file, capability, uses }: CapabilityUse): string {
  return `dist/${file}: it ${capability} (${uses.join(', ')}), which no part of the package may do there`
}

function listBuiltins(facts: ReadonlyMap<string, ModuleFacts>): BuiltinUse[] {
  const imports = [...facts].flatMap(([file, { imports: moduleBuiltins }]) =>
    moduleBuiltins.map((each) => ({ file, ...each })),
  )
  const builtins = imports.filter(({ module }) => module.startsWith('node:'))
  const modules = [...new Set(builtins.map(({ module }) => module))].toSorted()
  return modules.map((module) => {
    const moduleBuiltins = builtins.filter((each) => each.module === module)
    return { module, files: Object.fromEntries(moduleBuiltins.map(({ file, names }) => [file, names])) }
  })
}

function listVariables(facts: ReadonlyMap<string, ModuleFacts>): VariableUse[] {
  const names = [...new Set([...facts.values()].flatMap(({ variables }) => variables))].toSorted()
  return names.map((name) => {
    const files = [...facts].filter(([, { variables }]) => variables.includes(name)).map(([file]) => file)
    return { name, files }
  })
}
