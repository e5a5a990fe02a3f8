/** `verbena check`: the findings of an app, and the setup error if there is one. */
import { rejectionReason, type Rejection } from '../check/check.js'
import type { Finding } from '../check/findings.js'
import { SetupError } from '../errors/setup-error.js'
import { findOutdatedBlock } from './agents/outdated-block.js'
import { EXIT, printResult, type Command } from './command.js'
import { showEndpoints, type ShownEndpoint } from './endpoints.js'
import { loadApp, type LoadedApp } from './load-module.js'
import { describeModuleError, ModuleError } from './module-error.js'
import { readOwnManifest } from './own-manifest.js'
import { warnWithoutPlaces } from './permission.js'
import { slowValidators, type SlowValidator } from './slow-validators.js'
import { formatPlace, placeMembers, type PlaceMembers } from '../prove/source-places.js'
import { formatCount, wrapText, type Terminal } from './terminal.js'

/** A finding, as `--json` prints it: also the file and the line of the method, or of the setup error. */
type ShownFinding = PlaceMembers & {
  /** `error` if the app cannot be created, `info` if a setting is right but has a cost. */
  readonly level: 'error' | 'warning' | 'info'
  readonly code: string
  /** Name of the route; `null` for a setup error. */
  readonly class: string | null
  readonly method: string | null
  readonly message: string
  /** Empty if the message contains it. */
  readonly fix: string
}

export const check: Command = {
  name: 'check',
  summary: 'Find settings that are probably not intended',
  args: ['<module>'],
  options: { github: { type: 'boolean', help: 'Print annotations for GitHub Actions' } },
  details: 'Prints the findings of app.check(), or the setup error if the app cannot be created.',
  example: 'check src/app.ts',
  async run(input, terminal) {
    const [module = ''] = input.args
    const { json, github } = input.values
    const findings = await findAll(module, terminal)
    if (findings.length > 0) warnWithoutPlaces(terminal)
    if (github === true && json !== true) for (const each of findings) await terminal.print(formatAnnotation(each))
    else await printResult(input, findings, () => formatFindings(findings, module, terminal), terminal)
    return findings.every(({ level }) => level === 'info') ? EXIT.fine : EXIT.findings
  },
}

async function findAll(module: string, terminal: Terminal): Promise<ShownFinding[]> {
  const findings = await loadApp(module, terminal).then(showFindings, showFailure)
  const outdated = findOutdatedBlock(readOwnManifest().version)
  return outdated === null ? findings : [...findings, { level: 'info', class: null, method: null, ...outdated }]
}

function showFindings({ app, parts }: LoadedApp): ShownFinding[] {
  const shownEndpoints = showEndpoints(parts.registry.endpoints)
  const slow = slowValidators(parts.registry.endpoints)
  return [
    ...app.check().map((finding) => showFinding(finding, shownEndpoints)),
    ...slow.map((finding) => showFinding(finding, shownEndpoints, 'info')),
  ]
}

/** Shows the setup error of a module, or the findings in it. Any other error is thrown. */
function showFailure(error: unknown): ShownFinding[] {
  if (!(error instanceof ModuleError && error.thrown instanceof SetupError)) throw error
  const rejection = rejectionReason(error.thrown)
  /* c8 ignore next -- V8 counts only functions after the debugger has been used */
  return rejection === undefined ? [showSetupError(error.thrown)] : showRejection(rejection)
}

function showRejection({ findings, endpoints }: Rejection): ShownFinding[] {
  const shownEndpoints = showEndpoints(endpoints)
  return findings.map((finding) => showFinding(finding, shownEndpoints))
}

function showFinding(
  { code, route, method, message, fix }: Finding | SlowValidator,
  endpoints: readonly ShownEndpoint[],
  level: ShownFinding['level'] = 'warning',
): ShownFinding {
  const endpoint = endpoints.find((each) => each.class === route && each.method === method)
  return { level, code, class: route, method, message, fix, ...placeMembers(endpoint) }
}

function showSetupError(error: SetupError): ShownFinding {
  const { code, message, place } = describeModuleError(error)
  return { level: 'error', code, class: null, method: null, message, fix: '', ...placeMembers(place) }
}

const COLORS = { error: 'red', warning: 'yellow', info: 'dim' } as const

function formatFindings(findings: readonly ShownFinding[], module: string, terminal: Terminal): string {
  const { style } = terminal
  if (findings.length === 0) return `${style('green', 'No findings')} in ${module}`
  const blocks = findings.map((finding) => {
    const { level, code, message, fix } = finding
    const title = `${style(COLORS[level], code)}  ${style('dim', formatPlace(finding))}`
    return [title, wrapText(message, terminal, '  '), ...(fix === '' ? [] : [wrapText(fix, terminal, '  ')])].join('\n')
  })
  return [...blocks, `${formatCount(findings.length, 'finding')} in ${module}`].join('\n\n')
}

/** The commands of GitHub Actions by level. */
const ANNOTATIONS = { error: 'error', warning: 'warning', info: 'notice' } as const

/** Formats a workflow command of GitHub Actions: `::warning file=src/app.ts,line=3,title=READ_OPEN::…`. */
function formatAnnotation({ level, code, message, fix, file, line }: ShownFinding): string {
  const place = file === null ? '' : `file=${escapeProperty(file)},line=${line},`
  return `::${ANNOTATIONS[level]} ${place}title=${code}::${escapeData(fix === '' ? message : `${message}. ${fix}`)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
