#!/usr/bin/env node
/** Runs the command `verbena`. */
import { main } from './main.js'

// Without a top-level `await`, because Node prints a warning if it never settles.
void main(process.argv.slice(2))
