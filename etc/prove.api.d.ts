import { App } from './index.js'
declare function surface(app: App): string
export { surface }
