import { connectionTo } from './connection.ts'
import { GatehouseFeedback } from './feedback.ts'
import type { Own } from './main.ts'
import { GatehouseNotifications } from './notifications.ts'
import { GatehouseOrganization } from './organization.ts'
import { take } from './own.ts'
import { GatehouseUser } from './user.ts'

const ELEMENTS = {
  'gatehouse-user': GatehouseUser,
  'gatehouse-notifications': GatehouseNotifications,
  'gatehouse-feedback': GatehouseFeedback,
  'gatehouse-organization': GatehouseOrganization,
}

export function begin(own: Own): void {
  take(own)
  // A second script tag finds them defined.
  for (const [name, element] of Object.entries(ELEMENTS)) {
    if (!own.registry.get(name)) own.registry.define(name, element)
  }
}

export const connect = connectionTo
