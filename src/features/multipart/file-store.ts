/** Keeps the files of one request: small ones in memory, larger ones in a folder of its own, until nothing of the request is left to do. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ChunkBuffer } from '../../http/chunk-buffer.js'
import { StoredFile } from './stored-file.js'

export interface StoreSettings {
  /** Where larger files go; `null` to keep all of them in memory. */
  readonly folder: string | null
  /** Bytes of a file that are kept in memory. */
  readonly memory: number
}

/** A file while it comes. */
interface IncomingFile {
  readonly name: string
  readonly type: string
  /** Gives the next bytes, `null` at the end; throws where the file is too large. */
  next(): Promise<Buffer | null>
}

export class FileStore {
  readonly #settings: StoreSettings
  /** Those that are open: of streams that nobody reads to their end, too. */
  readonly #handles = new Set<FileHandle>()
  /** The folder of this request; `null` as long as it has none. */
  #place: Promise<string> | null = null
  #isOver = false

  constructor(settings: StoreSettings) {
    this.#settings = settings
  }

  async keep(file: IncomingFile): Promise<File> {
    const { folder, memory } = this.#settings
    const gathered = new ChunkBuffer()
    for (let chunk = await file.next(); chunk !== null; chunk = await file.next()) {
      gathered.add(chunk)
      if (folder !== null && gathered.size > memory) return this.#store(file, gathered.join(), folder)
    }
    // Proof: neither the socket nor the join gives memory that threads share.
    const bytes = gathered.join() as Buffer<ArrayBuffer>
    return new File([bytes], file.name, { type: file.type })
  }

  /** Removes what was stored. What is still being stored fails. */
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
    // The request may have ended meanwhile: `release` has not seen this one.
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
      'Cannot use a file of a request that is over: read it, or copy it, before the tasks of "response.after" end',
    )
  }
}

/** A folder that nobody else has made, of mode 0700 as `mkdtemp` makes it. */
async function makePlace(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return mkdtemp(join(folder, 'request-'))
}
