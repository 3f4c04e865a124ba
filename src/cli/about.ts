import { readFileSync } from 'node:fs'

/** What the program says of itself. */
export const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}
