import type { Platform } from '../../../platform/platform.ts'
import { readSettings } from './current-settings.ts'
import { Documents } from './model.ts'
import { openSetting, sealSetting, withSecrets } from './secrets.ts'
import * as store from './store.ts'

type Place = Pick<Platform, 'meta' | 'secretBox'>

/** The settings with secrets in plain text, for an installation with another key. */
export async function settingsInClear(place: Place): Promise<Documents> {
  const settings = await readSettings(place.meta)
  return withSecrets(settings, (name, sealed) => openSetting(place, name, sealed) ?? '')
}

/** A provider without its secret is disabled, since the console would not save it otherwise. */
export async function settingsWithoutSecrets({ meta }: Pick<Platform, 'meta'>): Promise<Documents> {
  const { authentication, ...others } = withSecrets(await readSettings(meta), () => '')
  const off = { enabled: false }
  return {
    ...others,
    authentication: {
      ...authentication,
      provider_a: { ...authentication.provider_a, ...off },
      provider_b: { ...authentication.provider_b, ...off },
      community: { ...authentication.community, ...off },
    },
  }
}

/** Replaces the existing settings. Secrets are sealed with this installation's key. */
export async function replaceSettings(place: Place, documents: unknown, now: number): Promise<void> {
  const sealed = withSecrets(Documents.parse(documents), (name, plain) =>
    plain === '' ? '' : sealSetting(place, name, plain),
  )
  await store.replaceDocuments(place.meta, sealed, now)
}
