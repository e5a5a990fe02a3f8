/** Checks of layout and accessibility that every page of the console must pass, in all sizes and themes. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Widths of the window: desktop, half a desktop, tablet, phone, and the minimum of WCAG 1.4.10. */
export const WIDTHS = [1440, 1024, 768, 420, 320] as const

/** Color schemes that a system can prefer. */
export const THEMES = ['light', 'dark'] as const

const HEIGHT = 900
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Script that waits for two animation frames. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))`

/** Script that finds elements that overflow the window, or that an ancestor clips without scrolling. */
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

  /** The ancestor that clips an element. Scrolling ancestors, and those that show an ellipsis, do not count. */
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
 */
export async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate(SETTLED)
}

/**
 * Finds elements that overflow the window or are clipped.
 *
 * @returns a description of each element; empty if there are no findings
 */
export function stickingOut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(STICKING_OUT)
}

/**
 * Finds the violations of WCAG 2.2 A and AA that axe can detect.
 *
 * @param rules ids of the rules to check; default: all
 * @returns a description of each violation; empty if there are no findings
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in globalThis')
  if (!isThere) await page.evaluate(AXE_SOURCE)
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules }
  const options = { runOnly, resultTypes: ['violations'], preload: false }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary.replaceAll(/\\s+/g, ' '))))`)
}

/**
 * Checks a page in all widths and themes.
 *
 * @returns the findings, each with its width and theme
 */
export async function faultsOfLayout(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await untilDrawn(page)
      // Only color rules can differ between themes.
      const isFirst = colorScheme === THEMES[0]
      const faults = await violations(page, isFirst ? undefined : ['color-contrast', 'link-in-text-block'])
      if (isFirst) faults.push(...(await stickingOut(page)))
      found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`))
    }
  }
  return found
}
