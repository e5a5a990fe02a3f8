/**
 * Reads and compares the state that the test files of a process share: environment, working directory, globals, prototypes, functions of
 * Node modules, listeners of the process, and subscribers of diagnostics channels.
 */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import dns from 'node:dns'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'

const CLASSES = {
  ...{ Array, Boolean, Date, Error, Function, Map, Number, Object, Promise, RangeError, RegExp, Set, String, Symbol },
  ...{ TypeError, URL, URLSearchParams, Uint8Array, WeakMap, AbortController, AbortSignal, Buffer, EventEmitter },
  ...{ ClientRequest: http.ClientRequest, IncomingMessage: http.IncomingMessage, HttpServer: http.Server },
  ...{ OutgoingMessage: http.OutgoingMessage, ServerResponse: http.ServerResponse },
  ...{ Server: net.Server, Socket: net.Socket },
}
const OBJECTS = {
  ...{ globalThis, process, console, JSON, Math, Reflect, performance },
  ...{ child_process: childProcess, crypto, dns, fs, 'fs/promises': fs.promises, http, net, os },
  ...{ timers, 'timers/promises': timers.promises },
  ...CLASSES,
  ...Object.fromEntries(Object.entries(CLASSES).map(([name, { prototype }]) => [`${name}.prototype`, prototype])),
}
/** Node, its HTTP client, a failed test, Zod and ArkType set these properties. */
const SET_ON_USE = /^(?:globalThis\.(?:Symbol\(|__|\$)|process\._|process\.(?:domain|exitCode)$|console\._)/
const channels = recordChannels()

/** Reads the state. Keys are readable names, such as `process.env.HOME` and `Array.prototype.at`. */
export function readProcessState() {
  const state = new Map([
    ['process.cwd()', process.cwd()],
    ['process.stdout.write', process.stdout.write],
    ['process.stderr.write', process.stderr.write],
  ])
  for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value)
  for (const [name, object] of Object.entries(OBJECTS)) addProperties(state, name, object)
  for (const event of process.eventNames()) {
    for (const [at, listener] of process.listeners(event).entries()) {
      state.set(`listener ${at + 1} of process "${String(event)}"`, listener)
    }
  }
  for (const channel of channels) {
    if (channel.hasSubscribers) state.set(`subscribers of channel "${String(channel.name)}"`, true)
  }
  return state
}

/** Returns the names of what differs between two states. */
export function findChanges(before, after) {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.has(name) !== after.has(name) || !isSame(before.get(name), after.get(name)))
}

/** A getter that a value replaces is a property that Node sets when it is first read. */
function isSame(before, after) {
  return (
    Object.is(before, after) || (before instanceof Getter && (!(after instanceof Getter) || before.get === after.get))
  )
}

class Getter {
  constructor(get) {
    this.get = get
  }
}

function addProperties(state, name, object) {
  const parent = Object.getPrototypeOf(object)
  for (const key of Reflect.ownKeys(object)) {
    const label = `${name}.${String(key)}`
    const { get, set, value } = Reflect.getOwnPropertyDescriptor(object, key)
    if (SET_ON_USE.test(label) || isInherited(parent, key, value)) continue
    state.set(label, get === undefined && set === undefined ? value : new Getter(get))
  }
}

/** Whether the prototype has the same value. `mock.method` leaves such a copy when it restores an inherited method. */
function isInherited(parent, key, value) {
  return value !== undefined && parent !== null && Reflect.getOwnPropertyDescriptor(parent, key)?.value === value
}

/** Records each channel that gets a subscriber later, because Node has no list of channels. */
function recordChannels() {
  const found = new Set()
  const prototype = Object.getPrototypeOf(diagnostics.channel('verbena:test'))
  for (const name of ['subscribe', 'bindStore']) {
    const original = prototype[name]
    prototype[name] = function recorded(...args) {
      found.add(this)
      return Reflect.apply(original, this, args)
    }
  }
  return found
}
