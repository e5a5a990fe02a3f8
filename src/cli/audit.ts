/** `verbena audit`: facts about the installed package, compared with the manifest of its build. */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PART_NAMES } from './audit/parts.js'
import { readPackage, type PackageFile } from './audit/package-files.js'
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

const NOTE =
  'A change of both a module and the manifest is not found here. To find it, rebuild the release with "npm run package -- --compare", and verify the provenance with "npm audit signatures".'

const PROOF =
  'To prove it, delete the files that "verbena audit --without <part>" lists, and run your tests with NODE_ENV=production.'

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

async function runAudit(input: CommandInput, terminal: Terminal): Promise<ExitCode> {
  const { values } = input
  const ownPackage = readPackage(resolve(readString(input, 'package') ?? findPackage(import.meta.url)))
  const report = createReport(ownPackage)
  const parts = readStrings(input, 'without')
  if (parts.length > 0) {
    const paths = listRemovable(report, parts)
    await printResult(input, paths, () => paths.join('\n'), terminal)
    return EXIT.fine
  }
  if (values['sbom'] === true) await terminal.print(JSON.stringify(createSbom(ownPackage), null, 2))
  else await printResult(input, report, () => formatReport(report, terminal, values['sources'] === true), terminal)
  return report.violations.length === 0 ? EXIT.fine : EXIT.findings
}

/** The package of a module in `dist`. */
function findPackage(url: string): string {
  return resolve(dirname(fileURLToPath(url)), '..')
}

function listRemovable({ inactive }: AuditReport, parts: readonly string[]): string[] {
  const unknown = parts.find((part) => !PART_NAMES.includes(part))
  if (unknown !== undefined) {
    throw new CommandError(
      `Cannot list the files of "${unknown}": the part is unknown. Parts are ${PART_NAMES.join(', ')}`,
    )
  }
  const paths = inactive.filter(({ part }) => parts.includes(part)).flatMap(({ files }) => files)
  return paths.toSorted()
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
    formatSection('Not loaded in production', formatParts(report, terminal), terminal),
    wrapText(PROOF, terminal),
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

function formatParts({ inactive }: AuditReport, terminal: Terminal): string {
  const rows = inactive.map(({ part, files, bytes }) => [part, String(files.length), String(bytes)])
  return formatTable([{ title: 'PART' }, { title: 'FILES' }, { title: 'BYTES' }], rows, terminal)
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
