/** The part of Express that a test uses; the package has no types of its own. */
declare module 'express' {
  import type { RequestListener, Server } from 'node:http'

  interface Request {
    readonly method: string
    readonly originalUrl: string
    readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  }

  interface Response {
    writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
    json(body: object): unknown
  }

  type Handler = (request: Request, response: Response, next: () => unknown) => unknown

  // biome-ignore lint/style/noDefaultExport: Express exports it so.
  export default function express(): RequestListener & {
    get(path: string, ...handlers: readonly Handler[]): unknown
    listen(port: number, host: string): Server
  }
}
