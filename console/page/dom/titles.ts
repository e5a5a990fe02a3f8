/** Reason phrases of statuses (RFC 9112 section 4). The app sends them in the snapshot. */

let titles: Readonly<Record<string, string>> = {}

export function setTitles(titlesByStatus: Readonly<Record<string, string>>): void {
  titles = titlesByStatus
}

export function statusHint(status: number): string {
  return titles[status] ?? ''
}
