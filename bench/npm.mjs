/** npm, and the versions of the compared packages. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Returns the versions of the servers of the benchmark. */
export function readVersions() {
  return JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).dependencies
}

/** Runs npm in a folder, and returns its output. */
export function runNpm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr}`)
  return stdout
}
