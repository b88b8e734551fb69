import type { Exchange } from '../exchange.ts'

/** The pages before the door; every other page is for somebody who is signed in. */
const FRONT = /^\/(sign-in|sign-up|verify|forgot|reset|beta)$/

/** The scripts that a page asks for first, so that the browser fetches them beside the one that asks. */
export function earlyScripts(paths: readonly string[]): (exchange: Exchange) => readonly string[] {
  const find = (name: string) =>
    paths.filter((path) => path.startsWith(`/assets/${name}-`) && path.endsWith('.js'))
  const found = { front: find('front'), inside: find('inside'), en: find('en'), zh: find('zh') }
  return (exchange) => [
    ...found[FRONT.test(exchange.path) ? 'front' : 'inside'],
    ...found[isChinese(exchange) ? 'zh' : 'en'],
  ]
}

/** A guess: the script decides, and fetches the other one if this was wrong. */
function isChinese(exchange: Exchange): boolean {
  return (exchange.cookie('language') ?? exchange.header('accept-language'))?.startsWith('zh') ?? false
}
