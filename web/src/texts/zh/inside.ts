import { accessTexts } from './inside/access.ts'
import { listsTexts } from './inside/lists.ts'
import { pagesTexts } from './inside/pages.ts'
import { securityTexts } from './inside/security.ts'
import { settingsTexts } from './inside/settings.ts'
import { toolsTexts } from './inside/tools.ts'

export const inside = {
  ...accessTexts,
  ...listsTexts,
  ...pagesTexts,
  ...securityTexts,
  ...settingsTexts,
  ...toolsTexts,
}
