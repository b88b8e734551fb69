import { applicationsTexts } from './console/applications.ts'
import { auditTexts } from './console/audit.ts'
import { findingTexts } from './console/finding.ts'
import { messagesTexts } from './console/messages.ts'
import { operationsTexts } from './console/operations.ts'
import { consoleOrganizationsTexts } from './console/organizations.ts'
import { overviewTexts } from './console/overview.ts'
import { peopleTexts } from './console/people.ts'
import { personTexts } from './console/person.ts'
import { settingsTexts } from './console/settings.ts'

export const console = {
  ...applicationsTexts,
  ...auditTexts,
  ...findingTexts,
  ...messagesTexts,
  ...operationsTexts,
  ...consoleOrganizationsTexts,
  ...overviewTexts,
  ...peopleTexts,
  ...personTexts,
  ...settingsTexts,
}
