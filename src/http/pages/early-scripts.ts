import type { Exchange } from '../exchange.ts'

/** The pages for people who are signed out; every other page needs a sign-in. */
const FRONT = /^\/(sign-in|sign-up|verify|forgot|reset|beta)$/

/**
 * The scripts that a page requests first, so that the browser fetches them along with the one that requests
 * them.
 */
export function earlyScripts(paths: readonly string[]): (exchange: Exchange) => readonly string[] {
  const find = (name: string) =>
    paths.filter((path) => path.startsWith(`/assets/${name}-`) && path.endsWith('.js'))
  const found = { front: find('front'), inside: find('inside'), en: find('en'), zh: find('zh') }
  return (exchange) => [
    ...found[FRONT.test(exchange.path) ? 'front' : 'inside'],
    ...found[isChinese(exchange) ? 'zh' : 'en'],
  ]
}

/** A guess: the script decides, and fetches the other one if the guess was wrong. */
function isChinese(exchange: Exchange): boolean {
  return (exchange.cookie('language') ?? exchange.header('accept-language'))?.startsWith('zh') ?? false
}
