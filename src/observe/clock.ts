/** The clock that durations are taken by. */

/** In ms, and never going back. The global of that name is a property that Node makes anew each time: 0.1 µs a look. */
export const clock: Pick<typeof performance, 'now'> = performance
