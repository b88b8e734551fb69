import type { Exchange } from '../exchange.ts'

/** The pages for people who are signed out; every other page needs a sign-in. */
const FRONT = /^\/(sign-in(\/second-step)?|invitation|sign-up|verify|forgot|reset)$/

/**
 * The scripts that a page requests first, so that the browser fetches them along with the one that requests
 * them.
 */
export function earlyScripts(paths: readonly string[]): (exchange: Exchange) => readonly string[] {
  const find = (name: string) => paths.filter((path) => path.startsWith(`/assets/${name}-`) && path.endsWith('.js'))
  const textsOf = (language: string) => ({
    front: find(`${language}-front`),
    inside: find(`${language}-inside`),
    console: find(`${language}-console`),
  })
  const pages = { front: find('front'), inside: find('inside'), en: textsOf('en'), zh: textsOf('zh') }
  return (exchange) => {
    const texts = pages[isChinese(exchange) ? 'zh' : 'en']
    if (FRONT.test(exchange.path)) return [...pages.front, ...texts.front]
    const ofConsole = exchange.path.startsWith('/console') ? texts.console : []
    return [...pages.inside, ...texts.front, ...texts.inside, ...ofConsole]
  }
}

/** A guess: the script decides, and fetches the other one if the guess was wrong. */
function isChinese(exchange: Exchange): boolean {
  return (exchange.cookie('language') ?? exchange.header('accept-language'))?.startsWith('zh') ?? false
}
