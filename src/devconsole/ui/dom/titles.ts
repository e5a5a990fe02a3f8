/** Titles of statuses: the app says them once, with the snapshot. */

let titles: Readonly<Record<string, string>> = {}

export function learnTitles(told: Readonly<Record<string, string>>): void {
  titles = told
}

export function statusHint(status: number): string {
  return titles[status] ?? ''
}
