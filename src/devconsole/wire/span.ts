/** Formats a duration in ms with its two largest units. Returns `59s`, `3m 37s`, `1h 02m` or `2d 03h`. */
export function span(span: number): string {
  const seconds = Math.max(0, Math.floor(span / 1_000))
  const two = (value: number) => String(value).padStart(2, '0')
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`
  const hours = Math.floor(seconds / 3_600)
  return hours < 24
    ? `${hours}h ${two(Math.floor(seconds / 60) % 60)}m`
    : `${Math.floor(hours / 24)}d ${two(hours % 24)}h`
}
