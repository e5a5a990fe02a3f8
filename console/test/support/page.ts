/** Reads the console's page, and waits for its state. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '#test/eventually.js'

export { eventually }

/** Options for the focused element. By default, Playwright waits 30 s if the focus moves in between. */
const WHILE_LOOKED_AT = { timeout: 1_000 }

/** Locates the rendered rows of the request list. */
export function readRows(page: Page): Locator {
  return page.locator('tr.row')
}

/** Returns the paths of the rendered rows, top to bottom. */
export function readPaths(page: Page): Promise<string[]> {
  return page.locator('tr.row .pth').allTextContents()
}

/** Waits until the list shows these paths, top to bottom. */
export async function untilPaths(page: Page, paths: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await readPaths(page), paths))
}

/** Waits until the page shows this number of elements. */
export async function untilCount(elements: Locator, count: number): Promise<void> {
  await eventually(async () => assert.equal(await elements.count(), count))
}

/** Waits until the page announces a text to screen readers. */
export async function untilSaid(page: Page, text: RegExp): Promise<void> {
  await eventually(async () => assert.match(await page.locator('body > .vh[role="status"]').innerText(), text))
}

/** Waits until the hash of the URL matches. */
export async function untilHash(page: Page, hash: RegExp): Promise<void> {
  await eventually(() => assert.match(new URL(page.url()).hash, hash))
}

/** Reads the JSON of records or runs that the browser has stored. */
export function readStored(page: Page, table: 'records' | 'runs'): Promise<string[]> {
  return page.evaluate(
    (name) =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('dev-console /__dev__')
        opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')))
        opening.addEventListener('success', () => {
          const reading = opening.result.transaction(name).objectStore(name).getAll()
          reading.addEventListener('success', () => {
            opening.result.close()
            resolve(reading.result.map(({ text }: { readonly text: string }) => text))
          })
        })
      }),
    table,
  )
}

/** Waits until the browser has stored a number of records. */
export async function untilStored(page: Page, count: number): Promise<void> {
  await eventually(async () => assert.equal((await readStored(page, 'records')).length, count))
}

/** The focused element. */
export interface Focus {
  /** Accessible role and name. */
  readonly name: string
  readonly isSeen: boolean
}

/** Finds the focused element. Fails if the focus moves while it is read. */
export async function readFocus(page: Page): Promise<Focus> {
  const focused = page.locator(':focus')
  if ((await focused.count()) === 0) return { name: 'nothing', isSeen: false }
  const [name = ''] = (await focused.ariaSnapshot(WHILE_LOOKED_AT)).split('\n')
  const isSeen = await focused.evaluate(
    (element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight && right > left && bottom > top
      return isInside && outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
    },
    undefined,
    WHILE_LOOKED_AT,
  )
  return { name: name.replace(/^- '?/, ''), isSeen }
}

/** Waits until the focused element has this role and name, and asserts that its focus ring is visible. */
export async function untilFocus(page: Page, name: RegExp): Promise<void> {
  await eventually(async () => {
    const focus = await readFocus(page)
    assert.match(focus.name, name)
    assert.ok(focus.isSeen, `${focus.name} has the focus, which cannot be seen`)
  })
}

const MAX_STEPS = 3

/** Asserts that a task requires at most three clicks and keys. Modifiers and text in fields do not count. */
export async function inThreeSteps(page: Page, task: () => Promise<void>): Promise<void> {
  const handle = await page.evaluateHandle(() => {
    const steps: string[] = []
    const note = (event: Event, step: string) => event.isTrusted && steps.push(step)
    addEventListener('pointerdown', (event) => note(event, `click ${String(event.target)}`), { capture: true })
    const noteKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, target } = event
      const isField = target instanceof Element && target.matches('input, textarea')
      const isText = isField && key.length === 1 && !ctrlKey
      if (!isText && !['Alt', 'Control', 'Meta', 'Shift'].includes(key)) note(event, key)
    }
    addEventListener('keydown', noteKey, { capture: true })
    return steps
  })
  await task()
  const steps = await handle.jsonValue()
  assert.ok(steps.length > 0 && steps.length <= MAX_STEPS, `${steps.length} steps: ${steps.join('\n')}`)
}
