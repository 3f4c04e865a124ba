import { Validator } from '@seriousme/openapi-schema-validator'
import type { DescriptionProblem } from './files.ts'
import { DescriptionError } from './parse.ts'

type Values = Record<string, unknown>

const mostProblems = 10

/**
 * The document as an OpenAPI description. Throws DescriptionError for what is none: no object, of a version that is not
 * known, without `info` or anything to describe, or with something else in the place of its operations.
 */
export function asDescription(document: unknown): Values {
  if (!isObject(document)) throw new DescriptionError('The file holds no OpenAPI description.')
  // YAML reads a version without quotes as a number.
  for (const name of ['openapi', 'swagger']) {
    const version = document[name]
    if (typeof version === 'number') document[name] = version === 2 ? '2.0' : String(version)
  }
  const { openapi, swagger } = document
  if (swagger === undefined && openapi === undefined)
    throw new DescriptionError(
      'The file holds no OpenAPI description: it has neither "openapi" nor "swagger".',
    )
  const known = swagger === '2.0' || (typeof openapi === 'string' && /^3\.[0-2](?:\.\d+)?/.test(openapi))
  if (!known)
    throw new DescriptionError('The version is not known: OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are.')
  if (!isObject(document.info)) throw new DescriptionError('The description has no "info".')
  const parts = ['paths', 'components', 'webhooks', 'definitions', 'x-webhooks']
  if (!parts.some(name => isObject(document[name])))
    throw new DescriptionError('The description has no "paths", "components" or "webhooks".')
  // One that lost all its operations to a slip must not take the place of the version before.
  const odd = parts.find(name => document[name] != null && !isObject(document[name]))
  if (odd !== undefined) throw new DescriptionError(`"${odd}" has to be an object.`)
  return document
}

/** Where a description departs from the standard, apart from what its references lead to. */
export function checkDescription(document: Values): DescriptionProblem[] {
  const version = document.swagger === '2.0' ? '2.0' : String(document.openapi).slice(0, 3)
  const validate = validatorOf(version)
  if (validate(document)) return []
  const found = (validate.errors ?? []).map(({ instancePath, message }) =>
    `${instancePath || 'The description'} ${message ?? 'is not valid'}`.slice(0, 300),
  )
  return [...new Set(found)]
    .slice(0, mostProblems)
    .map(message => ({ code: 'INVALID', message: `${message}.` }))
}

type Validate = {
  (document: unknown): boolean
  errors?: { instancePath: string; message?: string }[] | null
}

/** The schema alone: `validate` would read a text as the name of a file, and copy the document to follow its references. */
function validatorOf(version: string): Validate {
  const validator: object = new Validator({ validateFormats: false })
  return (validator as { getAjvValidator: (version: string) => Validate }).getAjvValidator(version)
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
