/** Buckets of times for the page, which imports only from `wire`. */
export { bucketBound, quantileBucket, TO_MIDDLE } from '../../observe/buckets.js'
