/** `verbena audit`: facts about the installed package, compared with the manifest of its build. */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPackage, type PackageFile, type PackageFiles } from './audit/package-files.js'
import { createReport, type AuditReport } from './audit/report.js'
import { createSbom } from './audit/sbom.js'
import {
  CommandError,
  EXIT,
  printResult,
  readString,
  readStrings,
  type Command,
  type CommandInput,
  type ExitCode,
} from './command.js'
import { formatCount, formatTable, wrapText, type Terminal } from './terminal.js'

/** Parts that may be deleted from an image, with the pattern of their paths. */
const PARTS: Readonly<Record<string, RegExp>> = {
  console: /^dist\/console[a-z-]*\.js$/,
  cli: /^dist\/cli(?:-[a-z-]+)?\.js$/,
  types: /\.d\.ts$/,
  documents: /^(?!LICENSE).*\.md$/,
}

const NOTE =
  'A change of both a module and the manifest is not found here. To find it, rebuild the release with "npm run package -- --compare", and verify the provenance with "npm audit signatures".'

export const audit: Command = {
  name: 'audit',
  summary: 'Show the uses and hashes of the package',
  args: [],
  options: {
    sbom: { type: 'boolean', help: 'Print the bill of materials (CycloneDX 1.6)' },
    sources: { type: 'boolean', help: 'Also list the source files of each module' },
    without: { type: 'string', multiple: true, value: '<part>', help: 'List the files of a part, to delete them' },
    package: { type: 'string', value: '<folder>', help: 'Audit the package in another folder' },
  },
  details: 'Parts are console, cli, types and documents. An app in production loads none of them.',
  example: 'audit --without console --without types',
  run: runAudit,
}

async function runAudit(given: CommandInput, terminal: Terminal): Promise<ExitCode> {
  const { values } = given
  const read = readPackage(resolve(readString(given, 'package') ?? findPackage(import.meta.url)))
  const parts = readStrings(given, 'without')
  if (parts.length > 0) {
    const paths = listRemovable(read, parts)
    await printResult(given, paths, () => paths.join('\n'), terminal)
    return EXIT.fine
  }
  const report = createReport(read)
  if (values['sbom'] === true) await terminal.print(JSON.stringify(createSbom(read), null, 2))
  else await printResult(given, report, () => formatReport(report, terminal, values['sources'] === true), terminal)
  return report.violations.length === 0 ? EXIT.fine : EXIT.findings
}

/** The package of a module in `dist`. */
function findPackage(url: string): string {
  return resolve(dirname(fileURLToPath(url)), '..')
}

function listRemovable({ files }: PackageFiles, parts: readonly string[]): string[] {
  const unknown = parts.find((part) => !Object.hasOwn(PARTS, part))
  if (unknown !== undefined) {
    const names = Object.keys(PARTS).join(', ')
    throw new CommandError(`Cannot list the files of "${unknown}": the part is unknown. Parts are ${names}`)
  }
  const patterns = Object.entries(PARTS).flatMap(([part, pattern]) => (parts.includes(part) ? [pattern] : []))
  return files.map(({ path }) => path).filter((path) => patterns.some((pattern) => pattern.test(path)))
}

function formatReport(report: AuditReport, terminal: Terminal, hasSources: boolean): string {
  const { name, version } = report.package
  const sum = report.files.reduce((bytes, file) => bytes + file.bytes, 0)
  return [
    terminal.style(
      'bold',
      `${name} ${version}, ${formatCount(report.files.length, 'file')}, ${sum.toLocaleString('en')} bytes`,
    ),
    formatSection('Dependencies', report.dependencies.join('\n') || 'none', terminal),
    formatSection('Scripts at installation', report.installScripts.join('\n') || 'none', terminal),
    formatSection('Capabilities', formatCapabilities(report, terminal), terminal),
    formatSection('Environment variables', formatVariables(report, terminal), terminal),
    formatSection('Modules of Node.js', formatBuiltins(report, terminal), terminal),
    formatSection('Files, with their SHA-256', formatFiles(report.files, terminal, hasSources), terminal),
    wrapText(NOTE, terminal),
    formatResult(report.violations, terminal),
  ].join('\n\n')
}

function formatSection(title: string, content: string, { style }: Terminal): string {
  return `${style('bold', title)}\n${content.replace(/^(?=.)/gm, '  ')}`
}

function formatCapabilities({ capabilities }: AuditReport, terminal: Terminal): string {
  const rows = capabilities.map(({ capability, file, uses, purpose }) => [
    capability,
    file,
    uses.join(', '),
    purpose ?? 'VIOLATION',
  ])
  return formatTable([{ title: 'CAPABILITY' }, { title: 'MODULE' }, { title: 'BY' }, { title: 'FOR' }], rows, terminal)
}

function formatVariables({ variables }: AuditReport, terminal: Terminal): string {
  const rows = variables.map(({ name, files }) => [name, files.join(', ')])
  return formatTable([{ title: 'VARIABLE' }, { title: 'MODULE' }], rows, terminal)
}

function formatBuiltins({ builtins }: AuditReport, terminal: Terminal): string {
  const rows = builtins.map(({ module, files }) => [module, Object.keys(files).join(', ')])
  return formatTable([{ title: 'MODULE OF NODE.JS' }, { title: 'USED BY' }], rows, terminal)
}

function formatFiles(files: readonly PackageFile[], terminal: Terminal, hasSources: boolean): string {
  const rows = files.flatMap(({ path, bytes, sha256, state, sources }) => [
    [path, String(bytes), state ?? '', sha256],
    ...(hasSources ? sources.map((source) => [`  ${source.path}`, '', '', source.sha256]) : []),
  ])
  return formatTable([{ title: 'FILE' }, { title: 'BYTES' }, { title: 'STATE' }, { title: 'SHA-256' }], rows, terminal)
}

function formatResult(violations: readonly string[], terminal: Terminal): string {
  if (violations.length === 0) return terminal.style('green', 'No violations')
  const lines = violations.map((violation) => wrapText(violation, terminal, '  '))
  return [terminal.style('red', formatCount(violations.length, 'violation')), ...lines].join('\n')
}
