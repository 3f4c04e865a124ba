import { valueGiven } from './example.ts'
import { listOf, type ParameterStyle, percentEncoded } from './parameter-address.ts'
import { firstValue, flattenAllOf, typesOf } from './schema-parts.ts'
import { follow, isObject, listIn, ownIn, textIn } from './value.ts'

/**
 * A parameter that readers fill in: the values of a list, which has a joint, separated with commas.
 */
export type CallField = ParameterStyle & {
  in: 'path' | 'query' | 'header'
  required: boolean
  /** What the form begins with. */
  value: string
  /** The values that are allowed, if the spec names them. */
  values?: string[]
}

const mostFields = 60
const mostValues = 50
const longestName = 200
const longestValue = 500
/** The most values of a list in a sample. */
const mostSampled = 20

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
    const isSendable =
      where === 'path' || where === 'query' || (where === 'header' && isSendableHeader(name))
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
  const { parts, type } = schemaIn(document, parameter)
  const required = where === 'path' || ownIn(parameter, 'required') === true
  const values = valuesOf(parts, type)

  return {
    ...styleOf(parameter, type, { name, in: where }),
    in: where,
    required,
    // Examples of optional parameters would limit what the answer has.
    value: required ? beginningOf(document, parameter, parts, values) : '',
    ...(values.length > 0 && { values }),
  }
}

function styleOf(
  parameter: unknown,
  type: string | undefined,
  { name, in: where }: Pick<CallField, 'name' | 'in'>,
): ParameterStyle {
  const style = textIn(parameter, 'style')
  const joint = type === 'array' ? jointOf(where, style, ownIn(parameter, 'explode')) : undefined
  const before =
    where !== 'path'
      ? ''
      : style === 'label'
        ? '.'
        : style === 'matrix'
          ? `;${percentEncoded(name)}=`
          : ''
  const reserved = where === 'query' && ownIn(parameter, 'allowReserved') === true

  return {
    name,
    ...(joint !== undefined && { joint }),
    ...(before !== '' && { before }),
    ...(reserved && { reserved }),
  }
}

function jointOf(
  where: CallField['in'],
  style: string,
  explode: unknown,
): NonNullable<ParameterStyle['joint']> {
  if (where === 'path')
    return explode === true && (style === 'label' || style === 'matrix') ? '&' : ','
  if (where === 'header') return ','
  if (style === 'spaceDelimited' || style === 'pipeDelimited')
    return explode === true ? '&' : style === 'pipeDelimited' ? '|' : ' '
  return explode === false ? ',' : '&'
}

/**
 * Returns how a parameter is written, and the values of its example in a sample: none without an
 * example.
 */
export function sampleOf(
  document: unknown,
  parameter: unknown,
): { style: ParameterStyle; values: readonly string[] } {
  const { parts, type } = schemaIn(document, parameter)
  const name = textIn(parameter, 'name')
  const style = styleOf(parameter, type, { name, in: textIn(parameter, 'in') as CallField['in'] })
  const given = exampleIn(document, parameter, parts) ?? listIn(firstValue(parts, 'enum'))[0]
  if (given === undefined || given === null || isObject(given)) return { style, values: [] }

  const list = Array.isArray(given) ? given.slice(0, mostSampled).map(textOf) : [String(given)]
  const values = style.joint && !Array.isArray(given) ? listOf(String(given)) : list

  return {
    style,
    values: values.map(each => each.slice(0, longestValue)).filter(each => each !== ''),
  }
}

function schemaIn(
  document: unknown,
  parameter: unknown,
): { parts: readonly unknown[]; type: string | undefined } {
  const { parts } = flattenAllOf(document, follow(document, ownIn(parameter, 'schema')).value)
  return { parts, type: typesOf(parts)[0] }
}

/** Returns the example of a parameter, or its default. */
const exampleIn = (document: unknown, parameter: unknown, parts: readonly unknown[]): unknown =>
  valueGiven(document, parameter) ?? firstValue(parts, 'example') ?? firstValue(parts, 'default')

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

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
  const given = exampleIn(document, parameter, parts)
  const text =
    given === undefined ? '' : Array.isArray(given) ? given.map(textOf).join(',') : textOf(given)
  const isAllowed = values.length === 0 || values.includes(text)
  return (isAllowed && text !== '' ? text : (values[0] ?? '')).slice(0, longestValue)
}
