/** Challenges: what a 401 says of the way to authenticate (RFC 9110 section 11.6.1). */

/** Parameters of a challenge by name; those that are `undefined` are left out. */
export interface ChallengeParameters {
  readonly [name: string]: string | undefined
}

/** Writes one challenge. Returns a value for `WWW-Authenticate`. */
export function challenge(scheme: string, parameters: ChallengeParameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(value)}`],
  )
  return given.length === 0 ? scheme : `${scheme} ${given.join(', ')}`
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
