import { Script } from 'node:vm'

interface Module {
  exports: unknown
}
type Body = (exports: unknown, require: (name: string) => unknown, module: Module, file: string, folder: string) => void

interface Source {
  readonly wrapped: string
  /** What V8 compiled of it before; V8 refuses it if it is of another version. */
  readonly compiled?: Buffer | undefined
}

/** What is compiled for a module of the build: the function that CommonJS expects around it. */
export function wrap(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`
}

/** Runs modules of the build, and of Node, without looking for any on the disk. */
export class Modules {
  readonly scripts = new Map<string, Script>()
  readonly #loaded = new Map<string, Module>()

  readonly #folder: string
  readonly #read: (name: string) => Source

  constructor(folder: string, read: (name: string) => Source) {
    this.#folder = folder
    this.#read = read
  }

  readonly load = (name: string): unknown => {
    if (!name.startsWith('./')) return builtin(name)
    const known = this.#loaded.get(name)
    if (known) return known.exports
    const module: Module = { exports: {} }
    this.#loaded.set(name, module)
    const file = `${this.#folder}${name.slice(1)}`
    const { wrapped, compiled } = this.#read(name.slice(2))
    const script = new Script(wrapped, { filename: file, cachedData: compiled })
    this.scripts.set(name.slice(2), script)
    const body: Body = script.runInThisContext()
    body(module.exports, this.load, module, file, this.#folder)
    return module.exports
  }
}

function builtin(name: string): unknown {
  const found = process.getBuiltinModule(name)
  if (!found) throw new Error(`Node has no module called ${name}`)
  return found
}
