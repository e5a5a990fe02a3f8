/** Builds `dist` anew from `src`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILERS, ROOT, executable, node } from './tools.mjs'

rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
process.exitCode = node([executable(COMPILERS[6], 'tsc'), '-p', 'tsconfig.build.json'])
