/** Files of one request: small files in memory, larger ones in a temporary directory, which is deleted when the request is done. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ChunkBuffer } from '../../http/body.js'
import { StoredFile } from './stored-file.js'

export interface StoreSettings {
  /** Parent of the temporary directories; `null` stores all files in memory. */
  readonly folder: string | null
  /** Maximum bytes of a file in memory. */
  readonly memory: number
}

/** A file that is being uploaded. */
interface IncomingFile {
  readonly name: string
  readonly type: string
  /** Returns the next bytes, or `null` at the end. Throws if the file is too large. */
  next(): Promise<Buffer | null>
}

export class FileStore {
  readonly #settings: StoreSettings
  /** Open files. If a stream is not read to its end, its file stays open until `release`. */
  readonly #handles = new Set<FileHandle>()
  /** Temporary directory of this request; `null` until a file is written to disk. */
  #place: Promise<string> | null = null
  #isOver = false

  constructor(settings: StoreSettings) {
    this.#settings = settings
  }

  async add(file: IncomingFile): Promise<File> {
    const { folder, memory } = this.#settings
    const gathered = new ChunkBuffer()
    for (let chunk = await file.next(); chunk !== null; chunk = await file.next()) {
      gathered.add(chunk)
      if (folder !== null && gathered.size > memory) return this.#store(file, gathered.join(), folder)
    }
    // Proof: neither the socket nor `join` returns shared memory.
    const bytes = gathered.join() as Buffer<ArrayBuffer>
    return new File([bytes], file.name, { type: file.type })
  }

  /** Closes and deletes all files. A file that is still being written fails. */
  async release(): Promise<void> {
    this.#isOver = true
    const place = await this.#place?.catch(() => undefined)
    await Promise.all(Array.from(this.#handles, (handle) => handle.close()))
    if (place !== undefined) await rm(place, { recursive: true, force: true, maxRetries: 3 })
  }

  async #store(file: IncomingFile, begin: Buffer, folder: string): Promise<File> {
    this.#place ??= makePlace(folder)
    const path = join(await this.#place, randomUUID())
    const handle = await this.#open(path, 'wx')
    let size = 0
    try {
      for (let chunk: Buffer | null = begin; chunk !== null; chunk = await file.next()) {
        this.#checkOpen()
        await handle.appendFile(chunk)
        size += chunk.length
      }
    } finally {
      await this.#close(handle)
    }
    return new StoredFile({ open: () => this.#open(path, 'r'), from: 0, size }, file.name, file.type)
  }

  async #open(path: string, flag: 'wx' | 'r'): Promise<FileHandle> {
    this.#checkOpen()
    const handle = await open(path, flag, 0o600)
    // `release` does not know this handle if it has run while the file was being opened.
    if (this.#isOver) await handle.close()
    this.#checkOpen()
    this.#handles.add(handle)
    return handle
  }

  async #close(handle: FileHandle): Promise<void> {
    this.#handles.delete(handle)
    await handle.close()
  }

  #checkOpen(): void {
    if (!this.#isOver) return
    throw new Error(
      'Cannot use a file of a completed request: it has been deleted. Read or copy it before the tasks of "response.after" end',
    )
  }
}

/** Creates a directory with a new name. `mkdtemp` sets its mode to 0700. */
async function makePlace(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return mkdtemp(join(folder, 'request-'))
}
