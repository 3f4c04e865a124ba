import type { Configuration } from './configuration.ts'

const placeholder = '__CONFIGURATION__'

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/**
 * Returns a configuration as a JavaScript expression that cannot end the script or the element
 * around it.
 */
const expressionOf = (configuration: Configuration): string =>
  JSON.stringify(configuration).replace(/[<>&\u2028\u2029]/g, sign => escapes[sign] as string)

/**
 * Returns the script that browsers load: the configuration of the site is in place of
 * `__CONFIGURATION__`.
 */
export const publishedScript = (script: string, configuration: Configuration): string =>
  script.split(placeholder).join(expressionOf(configuration))
