import { type Followed, follow, isObject, type LostRef, listIn, objectIn, ownIn } from './value.ts'

/**
 * A schema and the schemas that its `allOf` adds, directly or through each other; each part once.
 */
export type Flattened = {
  /** The schema itself comes first. */
  parts: readonly unknown[]
  /** References in `allOf` that cannot be resolved. */
  lost: LostRef[]
}

const mostParts = 100
const mostProperties = 2_000

/**
 * Collects a schema, which is not a reference, and the targets of its `allOf`. Linear in their
 * number, even with cycles.
 */
export function flattenAllOf(document: unknown, schema: unknown): Flattened {
  const parts: unknown[] = []
  const lost: LostRef[] = []
  const seen = new Set<unknown>()
  const waiting: Followed[] = [{ value: schema }]

  while (waiting.length > 0 && parts.length < mostParts) {
    const next = waiting.pop()!
    if (next.lost !== undefined) lost.push(next.lost)
    if (!isObject(next.value) || seen.has(next.value)) continue
    seen.add(next.value)
    parts.push(next.value)
    const more = listIn(ownIn(next.value, 'allOf')).slice(0, mostParts)
    for (const each of [...more].reverse()) waiting.push(follow(document, each))
  }

  return { parts, lost }
}

/** Returns the value of a keyword in the first part that has it. */
export function firstValue(parts: readonly unknown[], name: string): unknown {
  for (const part of parts) {
    const value = ownIn(part, name)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns the properties of all parts in order, and the names of the required ones. */
export function propertiesOf(parts: readonly unknown[]): {
  properties: Map<string, unknown>
  required: Set<string>
} {
  const properties = new Map<string, unknown>()
  const required = new Set<string>()
  for (const part of parts) {
    for (const [name, schema] of Object.entries(objectIn(ownIn(part, 'properties')))) {
      if (properties.size >= mostProperties) break
      if (!properties.has(name)) properties.set(name, schema)
    }
    for (const name of listIn(ownIn(part, 'required')).slice(0, mostProperties))
      if (typeof name === 'string') required.add(name)
  }

  return { properties, required }
}

/** Returns the types that the parts allow: named by `type`, or inferred from other keywords. */
export function typesOf(parts: readonly unknown[]): string[] {
  const type = firstValue(parts, 'type')
  const types = (Array.isArray(type) ? type.slice(0, 10) : [type]).filter(
    (each): each is string => typeof each === 'string' && each.length < 50,
  )
  if (firstValue(parts, 'nullable') === true && types.length > 0 && !types.includes('null'))
    types.push('null')
  if (types.length > 0) return types

  if (
    firstValue(parts, 'properties') !== undefined ||
    firstValue(parts, 'additionalProperties') !== undefined
  )
    return ['object']

  if (firstValue(parts, 'items') !== undefined || firstValue(parts, 'prefixItems') !== undefined)
    return ['array']

  const value = listIn(firstValue(parts, 'enum'))[0]

  return simple.has(typeof value) ? [typeof value] : []
}

const simple: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** Returns the schemas of `oneOf`, or else of `anyOf`. */
export function choicesOf(parts: readonly unknown[]): readonly unknown[] {
  const one = listIn(firstValue(parts, 'oneOf'))
  return one.length > 0 ? one : listIn(firstValue(parts, 'anyOf'))
}

/** Returns whether a schema has properties, choices or items. */
export const hasBelow = (parts: readonly unknown[]): boolean =>
  parts.some(part => Object.keys(objectIn(ownIn(part, 'properties'))).length > 0) ||
  choicesOf(parts).length > 0 ||
  isObject(firstValue(parts, 'additionalProperties')) ||
  firstValue(parts, 'prefixItems') !== undefined ||
  firstValue(parts, 'items') !== undefined

/** Returns the parts of a schema that have something below them. */
export const partsWithBelow = (parts: readonly unknown[]): unknown[] =>
  parts.filter(part => hasBelow([part]))
