/** The page of the console, which `npm run build:console` makes of `console/page`. */

/** The page, with `{{token}}`, `{{name}}`, `{{version}}` and `{{boot}}` to be filled. */
export const PAGE: string
/** First script of the page: its frame and the view of requests. */
export const PAGE_SCRIPT: string
/** Second script of the page: the other views. */
export const VIEWS_SCRIPT: string
/** Sources of the page's scripts for `script-src`. */
export const SCRIPT_HASHES: readonly string[]
/** Source of the page's style for `style-src`. */
export const STYLE_HASH: string
