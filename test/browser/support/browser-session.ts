import { after } from 'node:test'
import type { Service } from '../../service/service.ts'
import { type BrowserSession, TestBrowser } from './test-browser.ts'

// Starting Chromium costs more than most tests: those of a file share one, with contexts of their own.
let shared: Promise<TestBrowser> | undefined

after(async () => {
  const browser = await shared
  await browser?.[Symbol.asyncDispose]()
})

export async function openBrowserSession(service: Service): Promise<BrowserSession> {
  shared ??= TestBrowser.launch(service.config.baseUrl)
  const browser = await shared
  return browser.openSession(service)
}
