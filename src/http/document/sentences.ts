import { fieldTexts } from './texts.ts'

export type Json = Record<string, unknown>

/** Returns whether a value is an object of JSON. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns a schema whose properties have a description each: their own, that of `sentences` in the
 * metadata of a schema around them, or the text that all properties of the name share. The keys of
 * `sentences` are names of properties, with dots for properties of properties.
 */
export function withSentences(schema: Json): Json {
  const copy = structuredClone(schema)
  spread(copy)
  fill(copy, [])
  return copy
}

/** Gives the sentences of the metadata to the properties that they are about. */
function spread(value: unknown): void {
  if (Array.isArray(value)) value.forEach(spread)
  if (!isRecord(value)) return
  // The innermost sentence is the most exact one.
  Object.values(value).forEach(spread)
  if (!isRecord(value.sentences)) return
  const { sentences } = value
  delete value.sentences
  for (const [path, sentence] of Object.entries(sentences)) {
    const found = path
      .split('.')
      .reduce((schemas: Json[], name) => schemas.flatMap(each => propertiesOf(each, name)), [value])
    if (found.length === 0) throw new Error(`A sentence is about "${path}", which is not there.`)
    for (const property of found) property.description ??= sentence
  }
}

/** Returns the properties of this name in a schema, its variants, its items and its values. */
function propertiesOf(schema: Json, name: string): Json[] {
  const { properties, anyOf, oneOf, items, additionalProperties } = schema
  const own = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const inner = [anyOf, oneOf, items, additionalProperties].flat().filter(isRecord)
  return [...own.filter(isRecord), ...inner.flatMap(each => propertiesOf(each, name))]
}

/** Describes the properties that have no sentence yet by the text that their name has. */
function fill(value: unknown, path: string[]): void {
  if (Array.isArray(value)) for (const each of value) fill(each, path)
  if (!isRecord(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'properties' || !isRecord(inner)) {
      fill(inner, path)
      continue
    }
    for (const [name, property] of Object.entries(inner)) {
      const way = [...path, name]
      const text = fieldTexts[way.slice(-2).join('.')] ?? fieldTexts[name]
      if (isRecord(property) && !('const' in property || '$ref' in property) && text)
        property.description ??= text
      fill(property, way)
    }
  }
}
