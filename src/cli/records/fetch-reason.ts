/** Returns why `fetch` has failed. Its own message only says so; the cause has the reason. */
export function fetchReason(error: unknown): string {
  const { cause, message } = Object(error)
  return cause instanceof Error ? cause.message : String(message)
}
