import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guessEditor } from '#src/devconsole/host/guess-editor.js'

const VSCODE = { TERM_PROGRAM: 'vscode' }
const JETBRAINS = { TERMINAL_EMULATOR: 'JetBrains-JediTerm' }

describe('guessEditor()', () => {
  const ROWS: readonly (readonly [scheme: string, variables: Record<string, string>])[] = [
    ['vscode', VSCODE],
    ['vscode', { VSCODE_INSPECTOR_OPTIONS: '{}' }],
    ['vscode', { ...VSCODE, CURSOR_TRACE_ID: '' }],
    ['vscode-insiders', { ...VSCODE, TERM_PROGRAM_VERSION: '1.106.0-insider' }],
    ['cursor', { ...VSCODE, CURSOR_TRACE_ID: 'f00' }],
    ['windsurf', { ...VSCODE, __CFBundleIdentifier: 'com.exafunction.windsurf' }],
    ['vscodium', { ...VSCODE, VSCODE_GIT_ASKPASS_NODE: '/usr/share/codium/codium' }],
    ['zed', { TERM_PROGRAM: 'zed' }],
    ['zed', { ZED_TERM: 'true' }],
  ]
  for (const [scheme, variables] of ROWS) {
    it(`returns ${scheme} for ${JSON.stringify(variables)}`, () => {
      assert.equal(guessEditor(variables), `${scheme}://file/{file}:{line}:{column}`)
    })
  }

  it('returns the IDE of JetBrains, WebStorm by default', () => {
    const query = 'open?file={file}&line={line}&column={column}'
    assert.equal(guessEditor(JETBRAINS), `webstorm://${query}`)
    assert.equal(guessEditor({ JETBRAINS_REMOTE_RUN: '1' }), `webstorm://${query}`)
    assert.equal(guessEditor({ ...JETBRAINS, __CFBundleIdentifier: 'com.jetbrains.intellij' }), `idea://${query}`)
    assert.equal(guessEditor({ ...JETBRAINS, __CFBundleIdentifier: 'com.jetbrains.WebStorm' }), `webstorm://${query}`)
  })

  it('returns null if no variable names an editor, or it is empty', () => {
    for (const variables of [{}, { TERM_PROGRAM: 'iTerm.app' }, { VSCODE_PID: '', JETBRAINS_X: '', ZED_TERM: '' }])
      assert.equal(guessEditor(variables), null)
  })

  it('returns null on another machine than the editor: SSH, WSL and containers', () => {
    for (const name of ['SSH_CONNECTION', 'WSL_DISTRO_NAME', 'REMOTE_CONTAINERS', 'CODESPACES'])
      assert.equal(guessEditor({ ...VSCODE, ...JETBRAINS, [name]: 'x' }), null)
  })
})
