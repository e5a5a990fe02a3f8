/** Does nothing: a listener for what nobody needs to know. */
export function noop(): void {}
