import { findExecutable } from '../../processes/executable.ts'
import { openFirefox } from './firefox.ts'
import { openWebKit } from './webkit.ts'

/** Debian's browsers. Chromium has tests of its own, in `test/browser`. */
export const ENGINES = [
  {
    name: 'Firefox',
    program: findExecutable('firefox-esr', 'firefox'),
    open: openFirefox,
    knowsForcedColors: true,
  },
  {
    name: 'WebKit',
    program: findExecutable('xvfb-run') && findExecutable('WebKitWebDriver'),
    open: openWebKit,
    knowsForcedColors: false,
  },
] as const
