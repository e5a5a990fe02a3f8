/** Titles of statuses: the app says them once, with the snapshot. */

let titles: Readonly<Record<string, string>> = {}

/**
 * Learns the titles.
 *
 * @param told by the app
 */
export function learnTitles(told: Readonly<Record<string, string>>): void {
  titles = told
}

/**
 * The title of a status.
 *
 * @param status of an answer
 * @returns an empty text for one that is not registered
 */
export function statusTitle(status: number): string {
  return titles[status] ?? ''
}
