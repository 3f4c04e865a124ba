import { exampleGiven } from './example.ts'
import { firstValue, flattenAllOf, typesOf } from './schema-parts.ts'
import { follow, isObject, listIn, ownIn, textIn } from './value.ts'

/** A parameter that readers fill in. */
export type CallField = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  /** What the form begins with. */
  value: string
  /** The values that are allowed, if the spec names them. */
  values?: string[]
  /** What joins the values of a list, which readers separate with commas; `&` repeats the name. */
  joint?: ',' | ' ' | '|' | '&'
  /** What stands before the value in the path. */
  before?: string
}

const mostFields = 60
const mostValues = 50
const longestName = 200

/** Headers that a page may not set; `Content-Type` is that of the body. */
const refused =
  /^(?:accept-charset|accept-encoding|access-control-.*|connection|content-(?:length|type)|cookie2?|date|dnt|expect|host|keep-alive|origin|permissions-policy|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via)$/i

/** Returns whether a page can send a header with this name. */
export const isSendableHeader = (name: string): boolean =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !refused.test(name)

/** Returns the parameters that a page can send, and the names of the others. */
export function fieldsOf(
  document: unknown,
  parameters: readonly unknown[],
): { fields: CallField[]; left: string[] } {
  const fields: CallField[] = []
  const left: string[] = []
  for (const parameter of parameters.slice(0, mostFields)) {
    const name = textIn(parameter, 'name', longestName + 1)
    const where = textIn(parameter, 'in')
    const isSendable = where === 'path' || where === 'query' || (where === 'header' && isSendableHeader(name))
    if (name === '' || name.length > longestName) continue
    if (isSendable) fields.push(fieldOf(document, parameter, { name, in: where }))
    else if (where === 'cookie' || !/^content-type$/i.test(name)) left.push(name)
  }
  return { fields, left }
}

function fieldOf(
  document: unknown,
  parameter: unknown,
  { name, in: where }: Pick<CallField, 'name' | 'in'>,
): CallField {
  const { parts } = flattenAllOf(document, follow(document, ownIn(parameter, 'schema')).value)
  const [type] = typesOf(parts)
  const required = where === 'path' || ownIn(parameter, 'required') === true
  const values = valuesOf(parts, type)
  const style = textIn(parameter, 'style')
  const joint = type === 'array' ? jointOf(where, style, ownIn(parameter, 'explode')) : undefined
  const before = where !== 'path' ? '' : style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : ''
  return {
    name,
    in: where,
    required,
    // Examples of optional parameters would limit what the answer has.
    value: required ? beginningOf(document, parameter, parts, values) : '',
    ...(values.length > 0 && { values }),
    ...(joint !== undefined && { joint }),
    ...(before !== '' && { before }),
  }
}

function jointOf(where: CallField['in'], style: string, explode: unknown): NonNullable<CallField['joint']> {
  if (where !== 'query') return ','
  if (style === 'spaceDelimited' || style === 'pipeDelimited')
    return explode === true ? '&' : style === 'pipeDelimited' ? '|' : ' '
  return explode === false ? ',' : '&'
}

function valuesOf(parts: readonly unknown[], type: string | undefined): string[] {
  if (type === 'boolean') return ['true', 'false']
  const values = listIn(firstValue(parts, 'enum'))
  if (type === 'array' || values.length > mostValues) return []
  const texts = values.filter(value => value !== null).map(String)
  return texts.every(text => text.length <= 100) ? [...new Set(texts)] : []
}

/** Returns the example of a parameter, its default, or the first of its values. */
function beginningOf(
  document: unknown,
  parameter: unknown,
  parts: readonly unknown[],
  values: readonly string[],
): string {
  const given =
    ownIn(parameter, 'example') ??
    exampleGiven(document, parameter)?.text ??
    firstValue(parts, 'example') ??
    firstValue(parts, 'default')
  const text = isObject(given) ? JSON.stringify(given) : given === undefined ? '' : String(given)
  const isAllowed = values.length === 0 || values.includes(text)
  return (isAllowed && text !== '' ? text : (values[0] ?? '')).slice(0, 500)
}
