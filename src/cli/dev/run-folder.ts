/** The folder in which each `verbena dev` leaves its address for the commands beside it. Only the user can read it. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { readVariables } from '../../values/mode.js'
import { isRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]
/** Permissions of other users. */
const OTHERS = 0o077
const MAX_FILE_BYTES = 4_096
const HASH_LENGTH = 16
/** Windows has neither; its temporary folder belongs to the user. */
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants

/** A running `verbena dev`. */
export interface DevAddress {
  /** Process id of `verbena dev`. */
  readonly pid: number
  /** Proof that a client can read the file. */
  readonly token: string
  /** File that it runs. */
  readonly file: string
}

/** A running `verbena dev`, with the path of its Unix socket, or the name of its pipe. */
export interface FoundAddress extends DevAddress {
  readonly socket: string
}

/** Returns the path of the folder, which is created if it does not exist. Throws an `Error` with the reason if other users can use it. */
export function prepareRunFolder(): string {
  const path = runFolder()
  // Only this folder is created. With `recursive`, Node would also create folders above it, with other modes.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: FOLDER_MODE })
  checkFolder(path)
  return path
}

/**
 * Returns the path of the Unix socket of a `verbena dev`, or the name of its pipe.
 *
 * @param run the folder of this file
 * @param folder working directory of the process
 */
export function socketPath(run: string, folder: string, pid: number): string {
  const name = `${hashFolder(folder)}-${pid}`
  /* c8 ignore next -- Windows */
  if (process.platform === 'win32') return `\\\\.\\pipe\\verbena-${name}`
  return join(run, `${name}.sock`)
}

/** Writes the address of a `verbena dev` into a new file. Returns how to remove it. */
export function writeAddress(run: string, folder: string, address: DevAddress): () => void {
  const path = join(run, `${hashFolder(folder)}-${address.pid}.json`)
  // A process with the same id has ended without removing it.
  rmSync(path, { force: true })
  const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | O_NOFOLLOW, FILE_MODE)
  try {
    writeFileSync(file, JSON.stringify(address))
  } finally {
    closeSync(file)
  }
  return () => rmSync(path, { force: true })
}

/**
 * Returns each running `verbena dev` of a folder, or of the nearest folder above it that has one. Removes the files of ended ones. Throws an
 * `Error` with the reason if another user could have written a file.
 */
export function findAddresses(folder: string): FoundAddress[] {
  const run = runFolder()
  const names = valueOr(() => readdirSync(run), [])
  if (names.length > 0) checkFolder(run)
  for (let each = realpathSync(folder); ; each = dirname(each)) {
    const addresses = names.flatMap((name) => (belongsTo(name, each) ? readAddress(run, each, name) : []))
    if (addresses.length > 0 || each === dirname(each)) return addresses
  }
}

function belongsTo(name: string, folder: string): boolean {
  return name.startsWith(`${hashFolder(folder)}-`) && name.endsWith('.json')
}

function runFolder(): string {
  const { XDG_RUNTIME_DIR: runtime = '', TEMP = '/tmp', TMPDIR = TEMP } = readVariables()
  // The specification of this variable ignores relative paths.
  if (isAbsolute(runtime)) return join(runtime, 'verbena')
  return join(TMPDIR, `verbena-${process.getuid?.()}`)
}

function hashFolder(folder: string): string {
  return createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, HASH_LENGTH)
}

function checkFolder(path: string): void {
  withFile(path, O_DIRECTORY, () => {})
}

/** Opens a file of this user for reading, without following a link. Throws an `Error` with the reason if other users can write it. */
function withFile<T>(path: string, flags: number, read: (file: number, size: number) => T): T {
  const file = openSync(path, constants.O_RDONLY | O_NOFOLLOW | flags)
  try {
    // The path can lead to another file a moment later, so the open file is checked.
    const { uid, mode, size } = fstatSync(file)
    const user = process.getuid?.()
    if (user !== undefined && uid !== user) throw new Error(`"${path}" belongs to another user`)
    if (user !== undefined && (mode & OTHERS) !== 0) throw new Error(`other users have access to "${path}"`)
    return read(file, size)
  } finally {
    closeSync(file)
  }
}

function readAddress(run: string, folder: string, name: string): FoundAddress[] {
  const path = join(run, name)
  const text = withFile(path, 0, (file, size) => (size > MAX_FILE_BYTES ? '' : readFileSync(file, 'utf8')))
  const address: unknown = valueOr(() => JSON.parse(text), null)
  if (!isAddress(address)) throw new Error(`"${path}" is not a file of "verbena dev"`)
  const socket = socketPath(run, folder, address.pid)
  if (isAlive(address.pid)) return [{ ...address, socket }]
  rmSync(path, { force: true })
  rmSync(socket, { force: true })
  return []
}

function isAddress(value: unknown): value is DevAddress {
  if (!isRecord(value)) return false
  const { pid, token, file } = value
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof token === 'string' && typeof file === 'string'
}

/** Whether a process exists. Sends no signal. */
function isAlive(pid: number): boolean {
  return valueOr(() => process.kill(pid, 0), false)
}
