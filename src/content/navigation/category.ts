import { baseName } from '../files.ts'
import { decode } from '../text/bytes.ts'
import { readFlatYaml } from '../text/flat-yaml.ts'
import { plainData, readYaml } from '../text/yaml.ts'
import { dataOfJson, recordOf } from './data.ts'

/** What `_category_.json` or `_category_.yml` says about its folder. */
export type Category = {
  /** The name of the folder in the list of pages. */
  label?: string
  position?: number
  /** The title of the page that lists the folder. */
  title?: string
  /** What of the file is not taken. */
  notTaken?: string
}

/** The longest file that is read: YAML of this length takes some 20 ms. */
export const longestCategory = 2_048

/** The names of the file that says it. */
const categoryNames: readonly string[] = ['_category_.json', '_category_.yml', '_category_.yaml']

/** Reports whether a file is about the folder that it is in. */
export const isCategory = (path: string): boolean => categoryNames.includes(baseName(path))

/** Reads the settings of a folder, JSON or YAML. Never throws. */
export function readCategory(bytes: Uint8Array): Category {
  const { text } = decode(bytes)
  const settings = recordOf(dataOfJson(text) ?? dataOfYaml(text))
  if (Object.keys(settings).length === 0) return { notTaken: 'it cannot be read' }
  const link = recordOf(settings.link)
  const [label, title] = [textOf(settings.label), textOf(link.title)]
  const position = Number(textOf(settings.position) ?? Number.NaN)

  return {
    ...(label && { label }),
    ...(Number.isFinite(position) && { position }),
    ...(title && { title }),
    ...(link.id !== undefined && { notTaken: 'the page that "link" names was not taken' }),
  }
}

/** Returns the data of YAML without faults; undefined for other text. */
function dataOfYaml(text: string): unknown {
  const file = readFlatYaml(text) ?? readYaml(text.replace(/\t/g, ' '), longestCategory)
  const data = plainData(file.document?.contents, file)
  return file.issues.length > 0 ? undefined : data
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() : undefined
