import { ApiError, fetchFile } from './api.ts'

/** A script that a part of the page needs could not be fetched or imported. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly path: string
  /** Undefined if it was fetched, but the import failed. A browser imports nothing that has failed once. */
  readonly reason: ApiError | undefined

  constructor(path: string, cause: unknown) {
    super(path, { cause })
    this.path = path
    this.reason = cause instanceof ApiError ? cause : undefined
  }

  /** The server no longer has the script: a new version was deployed while this page was open. */
  get isOutdated(): boolean {
    return this.reason?.status === 404
  }

  /** True if another try on this page cannot help. */
  get needsReload(): boolean {
    return this.isOutdated || this.reason === undefined
  }
}

const fetched = new Map<string, Promise<void>>()

/**
 * Runs before each `import()`, with the paths of all scripts and styles that it needs. A browser that could not fetch
 * a module does not fetch it again until the page is reloaded, so nothing is imported before it is in the cache.
 */
export async function fetchBeforeImport<Module>(
  load: () => Promise<Module>,
  paths: readonly string[],
): Promise<Module> {
  await Promise.all(paths.filter((path) => !isInDocument(path)).map(fetchOnce))
  try {
    return await load()
  } catch (cause) {
    throw new ScriptError(paths[0] ?? 'a script', cause)
  }
}

function fetchOnce(path: string): Promise<void> {
  const known = fetched.get(path)
  if (known) return known
  const fetching = fetchScript(path)
  fetched.set(path, fetching)
  fetching.catch(() => fetched.delete(path))
  return fetching
}

async function fetchScript(path: string): Promise<void> {
  try {
    await fetchFile(path)
  } catch (error) {
    throw error instanceof ApiError ? new ScriptError(path, error) : error
  }
}

/** Fetched by the browser itself when the page was opened. */
const isInDocument = (path: string) => document.querySelector(`script[src="${path}"], link[href="${path}"]`) !== null
