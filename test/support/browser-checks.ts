/** What every page of the console must hold to, wherever it is looked at. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Widths of a window: a desk, half of it or a tablet, a phone, and the least that must do (WCAG 1.4.10). */
export const WIDTHS = [1440, 1024, 420, 320] as const

/** What the system may prefer. */
export const THEMES = ['light', 'dark'] as const

const HEIGHT = 900
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page as far as these checks run in it. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))`

/** Elements that stick out of the window, or are cut off by what stands around them, though nothing scrolls there. */
const STICKING_OUT = `(() => {
  const nameOf = (element) => element.tagName.toLowerCase() + (element.id && '#' + element.id) +
    Array.from(element.classList, (name) => '.' + name).join('')
  const found = []
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push('the document: ' + scrollWidth + ' of ' + clientWidth)
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect()
    if (box.width <= 1 || box.height <= 1 || !element.checkVisibility({ visibilityProperty: true }) || element.closest('svg, .vh, .skip')) continue
    const holder = holderOf(element)
    const [left, right] = holder === null ? [0, clientWidth] : edgesOf(holder)
    if (box.left < left - 1 || box.right > right + 1) {
      found.push(nameOf(element) + ' in ' + (holder === null ? 'the window' : nameOf(holder)) + ': ' +
        [box.left, box.right].map(Math.round) + ' of ' + [left, right].map(Math.round))
    }
  }
  return found.slice(0, 10)

  /** What cuts an element off; nothing where it scrolls, or says by an ellipsis that there is more. */
  function holderOf(element) {
    if (getComputedStyle(element).position === 'fixed') return null
    for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(at)
      if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return document.createElement('br')
      if (overflowX === 'hidden' || overflowX === 'clip') return at
    }
    return null
  }

  function edgesOf(holder) {
    const { left, right } = holder.getBoundingClientRect()
    return holder.isConnected ? [left, right] : [-Infinity, Infinity]
  }
})()`

/**
 * Waits until a page has been laid out and drawn.
 *
 * @param page any
 */
export async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate(SETTLED)
}

/**
 * What sticks out of the window or is cut off.
 *
 * @param page any
 * @returns sentences; none when all is well
 */
export function stickingOut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(STICKING_OUT)
}

/**
 * What does not hold to WCAG 2.2 A and AA, as far as rules can tell.
 *
 * @param page any
 * @param rules ids of the only ones that are asked; all unless given
 * @returns sentences; none when all is well
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in globalThis')
  if (!isThere) await page.evaluate(AXE)
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules }
  const options = { runOnly, resultTypes: ['violations'], preload: false }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary.replaceAll(/\\s+/g, ' '))))`)
}

/**
 * Looks at a page in all widths and themes.
 *
 * @param page in any size
 * @returns what is wrong, each with its theme and width
 */
export async function faultsOfLayout(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await untilDrawn(page)
      // What does not depend on colours is the same in both themes.
      const isFirst = colorScheme === THEMES[0]
      const faults = await violations(page, isFirst ? undefined : ['color-contrast', 'link-in-text-block'])
      if (isFirst) faults.push(...(await stickingOut(page)))
      found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`))
    }
  }
  return found
}
