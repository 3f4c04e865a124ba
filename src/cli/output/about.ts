import { readFileSync } from 'node:fs'

/** The version and description of the program. */
export const about = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as {
  version: string
  description: string
}
