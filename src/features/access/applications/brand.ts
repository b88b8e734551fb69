import { z } from 'zod'
import type { ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import { Reference } from '../../ground/settings/as-code/parts.ts'
import { FONTS, type Look, PICTURES, type PictureName, Style } from '../../ground/settings/brand/look/look.ts'
import { type Picture, PictureFile, pictureOf } from '../../ground/settings/brand/look/picture-file.ts'
import { stackOf } from '../../ground/settings/brand/look/sheet.ts'
import { type AddressOf, addressOfOwn, type ShownLook, shownLook } from '../../ground/settings/brand/look/shown.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { changeTo } from '../../ground/settings/parts/fields.ts'
import * as clients from '../clients/statements.ts'

const { accent, accent_dark, background, radius, font, css } = Style.shape

/** A field that is absent stays as it is; `null` takes it away, so that the installation's is inherited. */
const PictureChange = changeTo(PictureFile).nullable().optional()

export const BrandChanges = z
  .object({
    accent: accent.nullable().optional(),
    accent_dark: accent_dark.nullable().optional(),
    background: background.nullable().optional(),
    radius: radius.nullable().optional(),
    font: font.nullable().optional(),
    css: css.nullable().optional(),
    logo: PictureChange,
    logo_dark: PictureChange,
    favicon: PictureChange,
  })
  .nullable()
/** In a file of settings, a picture is the bytes of another file. */
export const BrandOfFile = z
  .strictObject({ ...BrandChanges.unwrap().shape, logo: Reference, logo_dark: Reference, favicon: Reference })
  .nullable()

export type BrandChanges = z.output<typeof BrandChanges>

/** What the application has of its own. */
export const ShownBrand = z.object({
  accent: z.string().optional(),
  accent_dark: z.string().optional(),
  background: z.string().optional(),
  radius: z.int().optional(),
  font: z.enum(FONTS).optional(),
  css: z.string().optional(),
  logo_url: z.string().optional(),
  logo_dark_url: z.string().optional(),
  favicon_url: z.string().optional(),
})

type StoredBrand = Partial<Style & Readonly<Record<PictureName, Pick<Picture, 'type' | 'digest'>>>>

export function storedBrand({ brand }: Pick<ApplicationTable, 'brand'>): StoredBrand {
  return brand === null ? {} : JSON.parse(brand)
}

export function shownBrand(row: Pick<ApplicationTable, 'id' | 'brand'>): z.input<typeof ShownBrand> {
  const { logo, logo_dark, favicon, ...style } = storedBrand(row)
  const urlOf = (name: PictureName, picture: Pick<Picture, 'digest'> | undefined) =>
    picture && addressOfApplication(row.id)(name, picture.digest)
  const urls = { logo_url: urlOf('logo', logo), logo_dark_url: urlOf('logo_dark', logo_dark) }
  return given({ ...style, ...urls, favicon_url: urlOf('favicon', favicon) })
}

/** The column after a change, and the pictures that it adds or, with null, takes away. */
export function changedBrand(present: Pick<ApplicationTable, 'brand'>, changes: BrandChanges) {
  const sent = changes ?? Object.fromEntries(Object.keys(storedBrand(present)).map((name) => [name, null]))
  const pictures = PICTURES.flatMap((name) => {
    const change = sent[name]
    if (change === undefined || change?.action === 'keep') return []
    return [[name, change?.action === 'replace' ? pictureOf(change.value) : null] as const]
  })
  const { logo: _logo, logo_dark: _dark, favicon: _icon, ...style } = sent
  const shown = pictures.map(([name, picture]) => [name, picture && { type: picture.type, digest: picture.digest }])
  const after = { ...storedBrand(present), ...given(style), ...Object.fromEntries(shown) }
  const own = Object.entries(after).filter(([, value]) => value !== null)
  return { brand: own.length === 0 ? null : JSON.stringify(Object.fromEntries(own)), pictures }
}

type Pictures = ReturnType<typeof changedBrand>['pictures']

export function pictureStatements(meta: Meta, application_id: string, pictures: Pictures) {
  return pictures.map(([name, picture]) =>
    picture
      ? clients.keepPicture(meta, { application_id, name, ...picture })
      : clients.deletePictures(meta, application_id, [name]),
  )
}

const addressOfApplication =
  (id: string): AddressOf =>
  (file, digest) =>
    `/api/brand/application_${file}?client_id=${id}&v=${digest}`

interface ApplicationLook {
  readonly client_id: string
  readonly look: ShownLook
}

/** The look of pages that lead to this application; undefined if it has none of its own. */
export async function applicationLook(
  { meta, versioned }: Platform,
  settings: Settings,
  client_id: string | undefined,
): Promise<ApplicationLook | undefined> {
  const found = await brandOf(meta, client_id)
  if (!found) return undefined
  const { id, name, brand } = found
  const own = storedBrand(found)
  const addressOf: AddressOf = (file, digest) =>
    file === 'style' || own[file] ? addressOfApplication(id)(file, digest) : addressOfOwn(file, digest)
  const look = await versioned.read(`look of ${id}`, `${settings.revision} ${brand}`, async () =>
    shownLook(lookOf(settings, own), addressOf),
  )
  return { client_id: id, look: own.logo || own.logo_dark ? { ...look, name } : look }
}

/** What a letter takes of it, if the page that asked for the letter leads to it. */
export async function applicationLetterLook({ meta }: Platform, client_id: string | undefined) {
  const found = await brandOf(meta, client_id)
  if (!found) return undefined
  const { accent, accent_dark, background, radius, font, logo } = storedBrand(found)
  const logo_path = logo?.type === 'png' ? addressOfApplication(found.id)('logo', logo.digest) : undefined
  return given({ accent, accent_dark, background, radius, typefaces: font && stackOf(font), logo_path })
}

/** The application's own style over the installation's. */
export async function applicationStyle({ meta }: Platform, settings: Settings, client_id: string): Promise<Style> {
  const found = await brandOf(meta, client_id)
  return lookOf(settings, found ? storedBrand(found) : {})
}

function lookOf({ brand }: Settings, own: StoredBrand): Look {
  return { ...brand, ...own }
}

/** Other texts are in no store: a query can contain NUL, which PostgreSQL does not accept. */
const ID = /^[\w-]{1,64}$/

async function brandOf(meta: Meta, id: string | undefined) {
  const row = id !== undefined && ID.test(id) ? await clients.applicationById(meta, id) : undefined
  return row?.brand ? row : undefined
}
