/** A property of a configuration. Buttons have no value. */
type ConfigurationProperty = {
  type: 'string' | 'number' | 'boolean' | 'button'
  enum?: readonly string[] | undefined
}

/**
 * The rules of a configuration: properties, or a component of the integration, which takes any
 * object.
 */
export type ConfigurationRules =
  | {
      properties: { readonly [name: string]: ConfigurationProperty }
      required?: readonly string[] | undefined
    }
  | { componentId: string }

export type Configuration = { [name: string]: unknown }

/** The maximum size of a configuration as JSON, in bytes. */
const mostBytes = 65_536

/** The deepest nesting of a configuration. */
const deepest = 20

const isSecret = (name: string): boolean => /secret|token|key|password/i.test(name)

/**
 * Returns what is wrong with a configuration; undefined if it follows the rules. Without rules, it
 * has to be empty.
 */
export function configurationProblem(
  rules: ConfigurationRules | undefined,
  given: Configuration,
): string | undefined {
  if (depthOf(given) > deepest) return `is nested deeper than ${deepest} levels`
  if (Buffer.byteLength(JSON.stringify(given)) > mostBytes)
    return `is larger than ${mostBytes} bytes`
  if (rules && 'componentId' in rules) return undefined

  const properties = new Map(Object.entries(rules?.properties ?? {}))

  for (const [name, value] of Object.entries(given)) {
    const property = properties.get(name)
    if (!property || property.type === 'button')
      return `has the property "${name.slice(0, 60)}", which the integration does not have`
    if (typeof value !== property.type) return `takes a ${property.type} as "${name}"`
    const choices = property.enum
    if (choices && !choices.includes(value as string))
      return `takes one of ${choices.map(each => JSON.stringify(each)).join(', ')} as "${name}"`
  }

  return undefined
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > deepest) return depth
  return Math.max(depth + 1, ...Object.values(value).map(each => depthOf(each, depth + 1)))
}

/**
 * Returns whether a configuration lacks a required property. A default of the integration counts as
 * a value.
 */
export function isIncomplete(
  rules: (ConfigurationRules & { properties?: { readonly [name: string]: object } }) | undefined,
  given: Configuration,
): boolean {
  if (!rules || 'componentId' in rules) return false
  const { properties, required = [] } = rules
  return required.some(name => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return (
      property !== undefined &&
      property.type !== 'button' &&
      !Object.hasOwn(given, name) &&
      !('default' in property)
    )
  })
}

/**
 * Returns a configuration with '' in place of every text whose name marks it as a secret, at any
 * depth.
 */
export const maskSecrets = (given: Configuration): Configuration => mapSecrets(given, () => '')

/**
 * Returns a new configuration in which every secret that is '' keeps its former value: masked ones
 * come back so.
 */
export function keepSecrets(given: Configuration, former: Configuration): Configuration {
  return mapSecrets(given, (value, path) => {
    if (value !== '') return value
    const before = path.reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, name)
          ? (at as Configuration)[name]
          : '',
      former,
    )

    return typeof before === 'string' ? before : ''
  })
}

function mapSecrets(
  given: Configuration,
  change: (value: string, path: readonly string[]) => string,
): Configuration {
  const walk = (value: unknown, path: readonly string[], secret: boolean): unknown => {
    if (typeof value === 'string') return secret ? change(value, path) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return value.map((each, at) => walk(each, [...path, String(at)], secret))

    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        walk(each, [...path, name], secret || isSecret(name)),
      ]),
    )
  }
  return walk(given, [], false) as Configuration
}
