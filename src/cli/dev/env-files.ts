/** Variables of `--env-file`. A process reads them only at its start, and its environment takes precedence over the files. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { valueOr } from '../../values/value-or.js'
import { readValues } from './node-options.js'

type EnvVariables = Readonly<Record<string, string | undefined>>

const ENV_FILE = /^--env-file(?:-if-exists)?$/

/** Returns the variables of all files that options of Node name. The last file takes precedence. */
export function readEnvFiles(options: readonly string[]): EnvVariables {
  const variables: Record<string, string | undefined> = {}
  for (const path of listEnvFiles(options)) {
    // A missing file is reported by Node when the app starts.
    Object.assign(
      variables,
      valueOr(() => parseEnv(readFileSync(path, 'utf8')), {}),
    )
  }
  return variables
}

export function listEnvFiles(options: readonly string[]): string[] {
  return readValues(options, ENV_FILE)
}

/** Returns the environment of an app that reads the files again: without the variables that they have set. */
export function withoutFiles(environment: EnvVariables, files: EnvVariables): EnvVariables {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => files[name] !== value))
}
