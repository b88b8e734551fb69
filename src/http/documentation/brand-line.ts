import { html } from 'hono/html'

/** The installation's name and pictures, as the pages that the service itself writes show them. */
export interface Shown {
  readonly name: string
  readonly logoUrl: string | null
  readonly logoDarkUrl: string | null
  readonly iconUrl: string | null
}

export function brandLine({ name, logoUrl, logoDarkUrl }: Shown) {
  const light =
    logoUrl === null ? '' : html`<img${logoDarkUrl === null ? '' : html` class="on-light"`} src="${logoUrl}" alt="">`
  const dark = logoDarkUrl === null ? '' : html`<img class="on-dark" src="${logoDarkUrl}" alt="">`
  return html`<p class="brand">${light}${dark}<a href="/">${name}</a></p>`
}
