/** The workloads: what is asked of which app, and the status it must be answered with. */
import { RESOURCES } from './data.mjs'

const NEW_USER = { name: 'Ada Lovelace', email: 'ada@example.org', age: 36, tags: ['mathematics', 'engines'] }

/**
 * By name. `app` says which of its apps a server starts, `paths` are asked for in turn, and `refused` is a request that
 * a server which validates answers with 4xx.
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
