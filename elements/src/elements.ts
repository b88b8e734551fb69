import { connectionTo } from './connection.ts'
import { GatehouseFeedback } from './feedback.ts'
import { GatehouseNotifications } from './notifications.ts'
import { GatehouseUser } from './user.ts'

const ELEMENTS = {
  'gatehouse-user': GatehouseUser,
  'gatehouse-notifications': GatehouseNotifications,
  'gatehouse-feedback': GatehouseFeedback,
}

// A second script tag finds them defined.
for (const [name, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(name)) customElements.define(name, element)
}

/** For `gatehouse/react`, which shares it with the elements. */
export const connect = connectionTo
