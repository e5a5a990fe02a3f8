/** The workloads: their requests, their app and the required status. */
import { createEvent, EVENT_COUNT, RESOURCES } from './data.mjs'
import { UPLOAD_BODY, UPLOAD_TYPE } from './upload-body.mjs'

const NEW_USER = { name: 'Ada Lovelace', email: 'ada@example.org', age: 36, tags: ['mathematics', 'engines'] }

/**
 * Workloads by name. `app` is one of the server's apps, requests use the `paths` in turn, and a server with validation must
 * respond with 4xx to `refused`. `wrk` sends the requests, or `client.mjs` if the workload is a transfer: `connections`, the `requests` of
 * each in a pass, the `units` (events, uploads or files) of a request, and a string at the `end` of each response. Only Verbena has the
 * app of a workload with `isOurs`, for the cost of its features.
 */
export const WORKLOADS = {
  W1: { title: 'GET static', app: 'small', method: 'GET', paths: ['/status'], status: 200 },
  W2: {
    title: 'parameter + query',
    app: 'small',
    method: 'GET',
    paths: ['/users/5f0c2a9e/posts?limit=20&tag=gardening'],
    status: 200,
    refused: { path: '/users/5f0c2a9e/posts?limit=many&tag=gardening' },
  },
  W3: {
    title: 'POST JSON validated',
    app: 'small',
    method: 'POST',
    paths: ['/users'],
    body: JSON.stringify(NEW_USER),
    status: 201,
    refused: { path: '/users', body: JSON.stringify({ ...NEW_USER, age: 'old' }) },
  },
  W4: { title: 'list of 10 kB', app: 'small', method: 'GET', paths: ['/items'], status: 200 },
  W5: {
    title: '500 routes',
    app: 'many',
    method: 'GET',
    paths: RESOURCES.filter((_, index) => index % 5 === 0).map((path, index) => `${path}/${1000 + index}`),
    status: 200,
  },
  W6: { title: '404', app: 'small', method: 'GET', paths: ['/nothing/is/here'], status: 404 },
  W7: { title: 'five async middleware', app: 'layered', method: 'GET', paths: ['/status'], status: 200 },
  W8: {
    ...{ title: 'events', app: 'feed', method: 'GET', paths: ['/events'], status: 200 },
    transfer: { connections: 100, requests: 1, units: EVENT_COUNT, end: JSON.stringify(createEvent(EVENT_COUNT - 1)) },
  },
  W9: {
    ...{
      title: 'upload of 1 MB',
      app: 'upload',
      method: 'POST',
      paths: ['/images'],
      type: UPLOAD_TYPE,
      body: UPLOAD_BODY,
    },
    status: 201,
    transfer: { connections: 16, requests: 16, units: 1, end: '"size":1000000' },
  },
  S1: {
    title: '10 service calls, 10 rows each',
    app: 'services',
    method: 'GET',
    paths: ['/reports'],
    status: 200,
    isOurs: true,
  },
  F1: createFileWorkload({ title: 'file of 2 kB', file: 'small.css', requests: 40 }),
  F2: createFileWorkload({ title: 'file of 30 kB', file: 'image.png', requests: 40 }),
  F3: createFileWorkload({ title: 'file of 5 MB', file: 'large.bin', requests: 1 }),
}

/** Names of the workloads of all servers. */
export const SHARED = Object.keys(WORKLOADS).filter((name) => !WORKLOADS[name].isOurs)

/** Names of the shared workloads with small requests and responses. Transfers have a separate table. */
export const SMALL = SHARED.filter((name) => WORKLOADS[name].transfer === undefined)

/** Headers differ between the servers, because each computes another ETag. */
function createFileWorkload({ title, file, requests }) {
  return {
    ...{ title, app: 'files', method: 'GET', paths: [`/assets/${file}`], status: 200, hasOwnHeaders: true },
    transfer: { connections: 50, requests, units: 1, end: 'xxx' },
  }
}
