import { pagesFolder } from '../../src/app.ts'
import { loadPages, type Pages } from '../../src/http/pages/page-files.ts'

let built: Pages | undefined

/** Read, hashed and compressed once for all services of a test file. */
export function builtPages(): Pages {
  built ??= loadPages(pagesFolder)
  return built
}
