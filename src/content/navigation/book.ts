import { insidePath } from '../files.ts'
import { plainData, readYaml } from '../text/yaml.ts'
import { dataOfJson, recordOf } from './data.ts'
import type { ReadNavigation } from './outline.ts'

/** The longest code that is read for its settings: YAML takes long to parse. */
const longestCode = 16_384

/** Keys that change nothing on the pages. */
const silent = new Set(['$schema', 'author', 'generator', 'gitbook', 'isbn', 'pdf'])

/** Reads `book.json` or `book.js` of the old GitBook and of HonKit: the places of the pages. */
export const readBook: ReadNavigation = text => {
  const data = dataOfJson(text) ?? dataOfCode(text)
  if (data === undefined)
    return { folder: '', notTaken: ['it is neither JSON nor a plain object that is exported'] }

  const { root, structure, ...others } = recordOf(data)
  const { readme, summary, ...parts } = recordOf(structure)
  const notTaken: string[] = []
  const pathFor = (value: unknown, name: string, base = ''): string | undefined => {
    if (value === undefined || value === null || value === '') return undefined
    const path = typeof value === 'string' ? insidePath(base, value.replace(/^\/+/, '')) : undefined
    if (path === undefined) notTaken.push(`"${name}" is no path in the folder`)
    return path
  }

  const top = pathFor(root, 'root')
  const folder = top ? `${top}/` : ''
  const places = {
    readme: pathFor(readme, 'structure.readme', folder) || `${folder}README.md`,
    summary: pathFor(summary, 'structure.summary', folder) || `${folder}SUMMARY.md`,
  }
  const unread = [
    ...Object.keys(others).filter(key => !silent.has(key)),
    ...Object.keys(parts).map(key => `structure.${key}`),
  ]
  if (unread.length > 0) notTaken.push(`not read: ${listed(unread)}`)
  const isPlaced = [root, readme, summary].some(value => value !== undefined)

  return { folder, ...(isPlaced && { places }), notTaken }
}

const listed = (keys: readonly string[]): string =>
  keys
    .slice(0, 10)
    .map(key => `"${key.slice(0, 100)}"`)
    .join(', ') + (keys.length > 10 ? ` and ${keys.length - 10} more` : '')

/** Returns the object that code exports, if it is written like data; nothing is run. */
function dataOfCode(text: string): unknown {
  if (text.length > longestCode) return undefined
  const from = /(?:module\.exports|exports\.default|export default)\s*=?\s*(?=\{)/.exec(text)
  const end = text.lastIndexOf('}')
  if (!from || end < from.index) return undefined
  const file = readYaml(text.slice(from.index + from[0].length, end + 1), longestCode)
  return file.issues.length > 0 ? undefined : plainData(file.document?.contents ?? null, file)
}
