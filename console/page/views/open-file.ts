/** Opens HAR files and records: with a button, with a key, or by dropping a file on the page. The file stays in this tab. */
import { dialogContent, isDialogOpen, openDialog } from '../dom/dialog.js'
import { h } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { toast } from '../dom/notice.js'
import { textButton } from '../dom/parts.js'
import { formatCount } from '../pure/format.js'
import { parseRecordFile, findFileError } from '../pure/record-file.js'
import { applyFile } from '../pure/reduce.js'
import { fileBoot } from '../pure/runs.js'
import type { ViewContext } from './context.js'

/** Time after the last event, because not every drag ends with an event. `dragover` is sent every 350 ms (WHATWG HTML 6.11.5). */
const DRAG_END_MS = 1_000
const TARGET_TEXT = 'Drop a HAR file or a JSON record to open it'

export class FileOpener {
  /** Covers the page while a file is dragged over it. */
  readonly target: HTMLElement = h('div', { class: 'drop', hidden: true }, icon('folder'), h('p', null, TARGET_TEXT))
  readonly #context: ViewContext
  readonly #input: HTMLInputElement
  /** Number of files that were opened. */
  #count = 0
  #dragTimer: ReturnType<typeof setTimeout> | undefined

  constructor(context: ViewContext) {
    this.#context = context
    const change = () => {
      void this.#open([...(this.#input.files ?? [])])
      // The same file can be chosen again after it has changed.
      this.#input.value = ''
    }
    this.#input = h('input', { type: 'file', accept: '.har,.json,application/json', on: { change } })
  }

  /** Opens the browser's dialog. */
  choose(): void {
    this.#input.click()
  }

  /** Adds the listeners of drag and drop. Without them, the browser navigates to a dropped file. */
  listen(): void {
    // A browser rejects a drop between the two events, as when the target has just appeared below the pointer.
    for (const name of ['dragenter', 'dragover'] as const) addEventListener(name, (event) => this.#handleDrag(event))
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) this.#hideTarget()
    })
    addEventListener('drop', (event) => this.#handleDrop(event))
  }

  #handleDrag(event: DragEvent): void {
    this.#hideTarget()
    if (!isForPage(event) || event.dataTransfer === null) return
    event.preventDefault()
    event.dataTransfer.dropEffect = isDialogOpen() ? 'none' : 'copy'
    if (isDialogOpen()) return
    this.target.hidden = false
    this.#dragTimer = setTimeout(() => this.#hideTarget(), DRAG_END_MS)
  }

  #hideTarget(): void {
    clearTimeout(this.#dragTimer)
    this.target.hidden = true
  }

  #handleDrop(event: DragEvent): void {
    this.#hideTarget()
    if (!isForPage(event)) return
    event.preventDefault()
    if (!isDialogOpen()) void this.#open([...(event.dataTransfer?.files ?? [])])
  }

  async #open(files: readonly File[]): Promise<void> {
    const [file] = files
    const number = ++this.#count
    const error = findFileError(files)
    if (file === undefined || error !== null) return showFailure(file, error ?? '')
    const text = await file.text().catch(() => null)
    // Another file was opened while this one was read.
    if (number !== this.#count) return
    if (text === null) return showFailure(file, 'The browser cannot read it. Open a single file, not a folder.')
    const recordFile = parseRecordFile(text, number)
    if (typeof recordFile === 'string') return showFailure(file, recordFile)
    this.#show(file, number, recordFile)
  }

  #show({ name }: File, number: number, { records, note }: Exclude<ReturnType<typeof parseRecordFile>, string>): void {
    const { shelf, store, go } = this.#context
    const [only, ...others] = records
    shelf.open(records)
    store.update((state) => applyFile(state, name, records, note))
    go({ view: 'requests', q: `id:${fileBoot(number)}`, id: others.length === 0 ? (only?.id ?? null) : null })
    toast(`Opened ${formatCount(records.length, 'request')} from ${name}`)
  }
}

/** Whether files are dragged, and not to an input for files, which accepts them itself. */
function isForPage({ dataTransfer, target }: DragEvent): boolean {
  const isField = target instanceof Element && target.matches('input[type="file"]')
  return dataTransfer?.types.includes('Files') === true && !isField
}

function showFailure(file: File | undefined, reason: string): void {
  const title = file === undefined ? 'Cannot open a file' : `Cannot open "${file.name}"`
  const close = textButton('Close', () => dialog.close(), 'btn primary')
  const dialog = openDialog(title, '', dialogContent(title, h('p', null, reason), close))
}
