import { type Followed, follow, isObject, listIn, objectIn, ownIn } from './value.ts'

/** A schema with all that `allOf` adds to it, each part once, however they lead to each other. */
export type Merged = {
  /** The schema itself first. */
  parts: readonly unknown[]
  /** References of it that lead nowhere. */
  lost: string[]
}

const mostParts = 100
const mostProperties = 2_000

/** Gathers a schema that is no reference and what its `allOf` leads to. Linear in that, with circles in it, too. */
export function merge(document: unknown, schema: unknown): Merged {
  const parts: unknown[] = []
  const lost: string[] = []
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

/** What the first part that says something says. */
export function said(parts: readonly unknown[], name: string): unknown {
  for (const part of parts) {
    const value = ownIn(part, name)
    if (value !== undefined) return value
  }
  return undefined
}

/** The properties of all parts in their order, and which must be there. */
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

/** The types that the parts name; more than one is a choice. */
export function typesOf(parts: readonly unknown[]): string[] {
  const type = said(parts, 'type')
  const types = (Array.isArray(type) ? type.slice(0, 10) : [type]).filter(
    (each): each is string => typeof each === 'string' && each.length < 50,
  )
  if (said(parts, 'nullable') === true && types.length > 0 && !types.includes('null')) types.push('null')
  if (types.length > 0) return types
  if (said(parts, 'properties') !== undefined || said(parts, 'additionalProperties') !== undefined)
    return ['object']
  if (said(parts, 'items') !== undefined || said(parts, 'prefixItems') !== undefined) return ['array']
  const value = listIn(said(parts, 'enum'))[0]
  return simple.has(typeof value) ? [typeof value] : []
}

const simple: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** The schemas that one of, or any of, must fit. */
export function choicesOf(parts: readonly unknown[]): readonly unknown[] {
  const one = listIn(said(parts, 'oneOf'))
  return one.length > 0 ? one : listIn(said(parts, 'anyOf'))
}
