import { readdirSync, readFileSync } from 'node:fs'
import type { Examples } from '../../http/document/examples.ts'

/** Returns the examples of all operations: a file for each tag, recorded by tests. */
export function readExamples(): Examples {
  const folder = new URL('./', import.meta.url)
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  const parts = files.map(
    name => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Examples,
  )
  return Object.assign({}, ...parts)
}
