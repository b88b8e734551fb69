interface Widget {
  render(place: HTMLElement, options: Options): string
  reset(id: string): void
  remove(id: string): void
}

interface Options {
  readonly sitekey: string
  readonly language: string
  readonly size: 'flexible'
  callback(response: string): void
  'expired-callback'(): void
  'error-callback'(): void
}

declare global {
  interface Window {
    turnstile?: Widget
  }
}

const scriptAddress = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

// Published by the challenge's maker for development: always passes with this response, without a request.
const passingTestKeys = ['1x00000000000000000000AA', '1x00000000000000000000BB']
export const testResponse = 'XXXX.DUMMY.TOKEN.XXXX'

export const isPassingTestKey = (siteKey: string): boolean => passingTestKeys.includes(siteKey)

export function loadWidget(): Promise<Widget> {
  return new Promise((resolve, reject) => {
    if (window.turnstile) return resolve(window.turnstile)
    const script = document.createElement('script')
    script.src = scriptAddress
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : reject(new Error('no widget in the script')))
    script.onerror = () => {
      script.remove()
      reject(new Error('the script cannot be loaded'))
    }
    document.head.append(script)
  })
}
