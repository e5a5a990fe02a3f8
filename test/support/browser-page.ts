/** What the tests of the console read of its page, and how they wait for it. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

const MAX_WAIT_MS = 20_000
const STEP_MS = 25
/** Playwright would wait half a minute for another focus. */
const WHILE_LOOKED_AT = { timeout: 1_000 }

/**
 * Waits until something holds.
 *
 * @param check throws as long as it does not
 * @returns what it gives
 */
export async function eventually<T>(check: () => Promise<T> | T): Promise<T> {
  const end = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}

/** Rows of the list of requests that are in the page. */
export function readRows(page: Page): Locator {
  return page.locator('tr.row')
}

/** Paths of the rows in the page, from above. */
export function readPaths(page: Page): Promise<string[]> {
  return page.locator('tr.row .pth').allTextContents()
}

/** Waits until the list shows these paths, from above. */
export async function untilPaths(page: Page, paths: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await readPaths(page), paths))
}

/** Waits for what the page tells screen readers. */
export async function untilSaid(page: Page, text: RegExp): Promise<void> {
  await eventually(async () => assert.match(await page.locator('body > .vh[role="status"]').innerText(), text))
}

/** Waits until the hash is such. */
export async function untilHash(page: Page, hash: RegExp): Promise<void> {
  await eventually(() => assert.match(new URL(page.url()).hash, hash))
}

/** Where the focus is, and whether it can be seen. */
export interface Focus {
  /** Role and name as screen readers have them. */
  readonly name: string
  readonly isSeen: boolean
}

/** Finds the focus; fails where it is lost while it is looked at. */
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

/** Waits until the focus is at a place, where it can be seen. */
export async function untilFocus(page: Page, name: RegExp): Promise<void> {
  await eventually(async () => {
    const focus = await readFocus(page)
    assert.match(focus.name, name)
    assert.ok(focus.isSeen, `${focus.name} has the focus, which cannot be seen`)
  })
}
