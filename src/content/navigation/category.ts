import type { Node } from 'yaml'
import { baseName } from '../files.ts'
import { decode } from '../text/bytes.ts'
import { entriesOf, readYaml, scalarText, type YamlFile } from '../text/yaml.ts'

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

const longest = 8_192

/** The names of the file that says it. */
export const categoryNames: readonly string[] = [
  '_category_.json',
  '_category_.yml',
  '_category_.yaml',
]

/** Reports whether a file is about the folder that it is in. */
export const isCategory = (path: string): boolean => categoryNames.includes(baseName(path))

/** Reads the settings of a folder, JSON or YAML. Never throws. */
export function readCategory(bytes: Uint8Array): Category {
  // JSON is YAML, too.
  const file = readYaml(decode(bytes).text.replace(/\t/g, ' '), longest)
  const entries = valuesOf(file.document?.contents, file)
  if (file.issues.length > 0 || entries.size === 0) return { notTaken: 'it cannot be read' }
  const link = valuesOf(entries.get('link'), file)
  const [label, title] = [textOf(entries.get('label')), textOf(link.get('title'))]
  const position = Number(textOf(entries.get('position')) ?? Number.NaN)

  return {
    ...(label && { label }),
    ...(Number.isFinite(position) && { position }),
    ...(title && { title }),
    ...(link.has('id') && { notTaken: 'the page that "link" names was not taken' }),
  }
}

const valuesOf = (node: unknown, file: YamlFile): Map<string, Node | null> =>
  new Map(entriesOf(node, file).map(({ key, value }) => [key, value]))

const textOf = (node: unknown): string | undefined => scalarText(node)?.trim()
