import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Io } from './io.ts'

/** The real machine. A second Ctrl-C ends the process as it would without us. */
export function openProcessIo(env: Io['env']): Io {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())
  process.stdout.on('error', endQuietlyWithoutReader)

  return {
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    isTTY: {
      get stdin() {
        return process.stdin.isTTY === true
      },
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
    },
    interrupted: interruption.signal,
    now: Date.now,
    sleep: (milliseconds) => wait(milliseconds, undefined, { signal: interruption.signal }),
    openBrowser: (url) => openBrowser(url, env),
  }
}

/**
 * `gatehouse request … | head` closes the pipe early, which is not a failure; other failures are reported by
 * the program.
 */
function endQuietlyWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
}

function openBrowser(url: string, env: Io['env']): void {
  const [command, ...args] = browserCommand(env)
  const browser = spawn(command, [...args, url], { detached: true, stdio: 'ignore' })
  // The address is already on the terminal, so a missing browser is not a failure.
  browser.on('error', () => undefined)
  browser.unref()
}

function browserCommand(env: Io['env']): [string, ...string[]] {
  if (env.BROWSER) return [env.BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
