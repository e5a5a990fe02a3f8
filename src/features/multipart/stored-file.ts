/** A `File` on disk, which is read in chunks when its content is requested. */
import type { FileHandle } from 'node:fs/promises'

/** A range of a file on disk. */
interface StoredBytes {
  /** Opens the file. Fails after the file is deleted. */
  open(): Promise<FileHandle>
  readonly from: number
  readonly size: number
}

/** As in the DOM types. */
type FileBytes = Uint8Array<ArrayBuffer>

/** Maximum bytes of a read. */
const CHUNK = 65_536

/** Overrides all methods of `File` that read its bytes. */
export class StoredFile extends File {
  readonly #bytes: StoredBytes

  constructor(bytes: StoredBytes, name: string, type: string) {
    super([], name, { type })
    this.#bytes = bytes
    // TypeScript does not accept a getter here, because the DOM types declare a field.
    Object.defineProperty(this, 'size', { value: bytes.size })
  }

  override stream(): ReturnType<File['stream']> {
    const { from, size } = this.#bytes
    const end = from + size
    let at = from
    let handle: FileHandle | undefined
    const pull = async (controller: ReadableStreamDefaultController<FileBytes>): Promise<void> => {
      handle ??= await this.#bytes.open()
      const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(CHUNK, end - at)), 0, null, at)
      at += bytesRead
      if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
      await handle.close()
      controller.close()
    }
    return new ReadableStream({ pull, cancel: () => handle?.close() }, { highWaterMark: 0 })
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole().arrayBuffer()
  }

  override text(): Promise<string> {
    return this.#whole().text()
  }

  override async bytes(): Promise<FileBytes> {
    return new Uint8Array(await this.arrayBuffer())
  }

  /** Negative indexes count from the end, as in `Blob.slice`. */
  override slice(start: number = 0, end: number = this.size, type: string = ''): StoredFile {
    const { open, from, size } = this.#bytes
    const [first, last] = [start, end].map((at) => Math.trunc(at < 0 ? Math.max(0, size + at) : Math.min(size, at)))
    const [begin = 0, stop = 0] = [first, last]
    return new StoredFile({ open, from: from + begin, size: Math.max(0, stop - begin) }, this.name, type)
  }

  #whole(): Response {
    return new Response(this.stream())
  }
}
