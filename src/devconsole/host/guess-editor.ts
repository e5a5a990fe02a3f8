/** Guesses the editor from environment variables of its terminal or debugger. */

type Variables = Readonly<Record<string, string | undefined>>

/** Variables of machines whose paths an editor elsewhere does not know: SSH, WSL and containers. */
const REMOTE = ['SSH_CONNECTION', 'WSL_DISTRO_NAME', 'REMOTE_CONTAINERS', 'CODESPACES'] as const
/** Editors based on VS Code set the same variables, and others that contain their names. */
const FORKS = [
  [/cursor/i, 'cursor'],
  [/windsurf/i, 'windsurf'],
  [/codium/i, 'vscodium'],
  [/insiders?\b/i, 'vscode-insiders'],
] as const
const FORK_CLUES = [
  'TERM_PROGRAM_VERSION',
  '__CFBundleIdentifier',
  'VSCODE_GIT_ASKPASS_NODE',
  'VSCODE_GIT_ASKPASS_MAIN',
]
/** By the end of the bundle identifier, which macOS sets. WebStorm is the IDE for Node.js. */
const JETBRAINS_IDES: ReadonlyMap<string, string> = new Map([['intellij', 'idea']])

/** Returns a link for the option `editor`; `null` if the variables name no editor, or the process runs on another machine. */
export function guessEditor(variables: Variables): string | null {
  const names = Object.keys(variables).filter((name) => variables[name] !== '')
  if (REMOTE.some((name) => names.includes(name))) return null
  const { TERM_PROGRAM: terminal = '', TERMINAL_EMULATOR: emulator = '' } = variables
  if (terminal === 'zed' || names.includes('ZED_TERM')) return fileLink('zed')
  if (emulator === 'JetBrains-JediTerm' || names.some((name) => name.startsWith('JETBRAINS_')))
    return `${jetBrainsIde(variables)}://open?file={file}&line={line}&column={column}`
  if (terminal === 'vscode' || names.some((name) => name.startsWith('VSCODE_'))) return fileLink(findFork(variables))
  return null
}

function fileLink(scheme: string): string {
  return `${scheme}://file/{file}:{line}:{column}`
}

function findFork(variables: Variables): string {
  if ((variables['CURSOR_TRACE_ID'] ?? '') !== '') return 'cursor'
  const clues = FORK_CLUES.map((name) => variables[name] ?? '').join(' ')
  const [, scheme = 'vscode'] = FORKS.find(([pattern]) => pattern.test(clues)) ?? []
  return scheme
}

function jetBrainsIde({ __CFBundleIdentifier: bundle = '' }: Variables): string {
  return JETBRAINS_IDES.get(bundle.toLowerCase().replace(/^com\.jetbrains\./, '')) ?? 'webstorm'
}
