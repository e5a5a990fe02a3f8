/** Titles of statuses: the app says them once, with the snapshot. */

let titles: Readonly<Record<string, string>> = {}

/** Learns the titles. */
export function learnTitles(told: Readonly<Record<string, string>>): void {
  titles = told
}

/** The title of a status. */
export function statusTitle(status: number): string {
  return titles[status] ?? ''
}
