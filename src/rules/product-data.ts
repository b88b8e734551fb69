import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, merged } from './json-object.ts'
import { Refusal, unlessRefused } from './refusal.ts'

// What a product keeps about a user or an organisation: three JSON objects, with the same rules for both.

const PARTS = ['public', 'private', 'own'] as const
export type Part = (typeof PARTS)[number]

/** As it is stored, each object as text. */
export interface ProductData {
  /** Written by the product. */
  public: string
  /** Written by the product, and never shown to its owner but in an export. */
  private: string
  /** Written by its owner, so not to be trusted. */
  own: string
  /** Grows with each change, from 1. */
  version: number
}

const MOST_KIB = 8

export type DataPatch = { readonly [P in Part]?: JsonObject | undefined }

export type How = 'merged' | 'replaced'

export interface DataChange extends DataPatch {
  readonly expected_version?: number | undefined
}

export type Names = Readonly<Partial<Record<Part, readonly string[]>>>

/** What nobody has saved yet. */
export const NOTHING: ProductData = { public: '{}', private: '{}', own: '{}', version: 0 }

export function dataOf(row: ProductData = NOTHING) {
  const parsed = (part: Part): JsonObject => JSON.parse(row[part])
  return { public: parsed('public'), private: parsed('private'), own: parsed('own'), version: row.version }
}

/** What its owner sees of it. */
export function ownDataOf(row?: ProductData) {
  const { private: _, ...shown } = dataOf(row)
  return shown
}

/**
 * The row after the change, with the top-level names that differ; without names, nothing changes. What is sent is
 * merged with what is stored, or takes its place.
 */
export function changedData(
  { public: shown, private: hidden, own, version }: ProductData = NOTHING,
  { expected_version, ...patch }: DataChange,
  how: How = 'merged',
) {
  const stored: ProductData = { public: shown, private: hidden, own, version }
  if (expected_version !== undefined && expected_version !== stored.version)
    throw new Refusal('DATA_CONFLICT', 'The data was changed since you read it.')
  const before = dataOf(stored)
  const names: Partial<Record<Part, readonly string[]>> = {}
  const row: ProductData = { ...stored }
  for (const part of PARTS) {
    const sent = patch[part]
    if (sent === undefined) continue
    const text = textOf(part, how === 'merged' ? merged(before[part], sent) : sent)
    // It is compared as it will be read back: -0 as 0, which is no change.
    const differing = differingNames(before[part], JSON.parse(text))
    if (differing.length === 0) continue
    names[part] = differing
    row[part] = text
    row.version = stored.version + 1
  }
  return { row, names }
}

/** What a newcomer brings, by several hands. Data that comes from elsewhere is `replaced`: it keeps its nulls. */
export function firstRow(patches: readonly DataPatch[], how: How) {
  return changedData(undefined, Object.assign({}, ...patches), how)
}

/** Whether a newcomer can have it, to be asked before anybody is made. */
export function isSavable(patch: DataPatch, how: How): boolean {
  try {
    firstRow([patch], how)
    return true
  } catch (error) {
    unlessRefused(error)
    return false
  }
}

export function isChanged(names: Names): boolean {
  return Object.keys(names).length > 0
}

function differingNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(fieldOf(before, name), fieldOf(after, name)))
}

function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function textOf(path: string, object: JsonObject): string {
  const text = JSON.stringify(object)
  if (Buffer.byteLength(text) <= MOST_KIB * 1024) return text
  throw dataTooLarge(path)
}

export function refuseTooLarge(path: string, object: JsonObject = {}): void {
  textOf(path, object)
}

export function dataTooLarge(path: string): Refusal {
  const message = `More than ${MOST_KIB} KiB as JSON.`
  return new Refusal('PAYLOAD_TOO_LARGE', `${path}: ${message}`, { issues: [{ path, message }] })
}
