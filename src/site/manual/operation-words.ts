import { plainText } from '../../content/markdown/plain-text.ts'
import type { OpenapiOperation } from '../../content/openapi/describe.ts'
import { follow, isObject, listIn, objectIn, ownIn, textIn } from '../../content/openapi/value.ts'

/** The most parts of a request body that are read, and the deepest of them. */
const mostParts = 400
const deepest = 8

/**
 * Returns what a search reads of an operation: the names of it and of its parts, and the sentences
 * about it and about what it takes. Answers are left out: most of them are the same.
 */
export function operationWords(
  document: unknown,
  { method, path, operationId = '' }: OpenapiOperation,
): { names: string; text: string } {
  const item = ownIn(ownIn(document, 'paths'), path)
  const operation = ownIn(item, method)
  const sentences = [plainText(textIn(operation, 'description', 20_000))]
  const names: string[] = []
  const parameters = [
    ...listIn(ownIn(item, 'parameters')),
    ...listIn(ownIn(operation, 'parameters')),
  ]

  for (const written of parameters) {
    const parameter = follow(document, written).value
    names.push(textIn(parameter, 'name'))
    sentences.push(sentenceOf(textIn(parameter, 'name'), parameter))
  }

  const body = follow(document, ownIn(operation, 'requestBody')).value
  const left = { parts: mostParts }
  for (const media of Object.values(objectIn(ownIn(body, 'content'))))
    gather({ document, names, sentences, left }, ownIn(media, 'schema'), 0)

  return {
    names: `${method.toUpperCase()} ${path} ${operationId} ${spaced(operationId)} ${names.join(' ')}`,
    text: [`${method.toUpperCase()} ${path}`, ...sentences.filter(text => text !== '')].join(' · '),
  }
}

/** Returns the words of a name in camel case. */
const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')

function sentenceOf(name: string, holder: unknown): string {
  const text = plainText(textIn(holder, 'description', 5_000))
  return text === '' ? name : `${name}: ${text}`
}

type Gathering = {
  document: unknown
  names: string[]
  sentences: string[]
  left: { parts: number }
}

/** Gathers the names and sentences of the properties of a schema. */
function gather(into: Gathering, written: unknown, depth: number): void {
  const { document, names, sentences, left } = into
  const schema = follow(document, written).value
  if (!isObject(schema) || depth > deepest || left.parts-- <= 0) return

  for (const [name, property] of Object.entries(objectIn(ownIn(schema, 'properties')))) {
    names.push(name)
    sentences.push(sentenceOf(name, follow(document, property).value))
    gather(into, property, depth + 1)
  }

  for (const kind of ['anyOf', 'oneOf', 'allOf'])
    for (const choice of listIn(ownIn(schema, kind))) gather(into, choice, depth + 1)
  gather(into, ownIn(schema, 'items'), depth + 1)
}
