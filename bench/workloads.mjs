/** The workloads: their requests, their app and the required status. */
import { RESOURCES } from './data.mjs'

const NEW_USER = { name: 'Ada Lovelace', email: 'ada@example.org', age: 36, tags: ['mathematics', 'engines'] }

/**
 * Workloads by name. `app` is one of the server's apps, requests use the `paths` in turn, and a server with validation must
 * respond with 4xx to `refused`.
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
}
