/** Variables of `--env-file`. A process reads them only at its start, and its environment takes precedence over the files. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { valueOr } from '../../values/value-or.js'

type EnvVariables = Readonly<Record<string, string | undefined>>

/** Returns the variables of all files that options of Node name. The last file takes precedence. */
export function readEnvFiles(options: readonly string[]): EnvVariables {
  const variables: Record<string, string | undefined> = {}
  for (const [at, option] of options.entries()) {
    const [isNamed, path = options[at + 1]] = /^--env-file(?:-if-exists)?(?:=(.*))?$/s.exec(option) ?? []
    if (isNamed === undefined) continue
    // A missing file is reported by Node when the app starts.
    Object.assign(
      variables,
      valueOr(() => parseEnv(readFileSync(String(path), 'utf8')), {}),
    )
  }
  return variables
}

/** Returns the environment of an app that reads the files again: without the variables that they have set. */
export function withoutFiles(environment: EnvVariables, files: EnvVariables): EnvVariables {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => files[name] !== value))
}
