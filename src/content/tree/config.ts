import type { Node } from 'yaml'
import { isMap } from 'yaml'
import { insidePath, readmeNames, summaryNames } from '../files.ts'
import { type Category, isCategory } from '../navigation/category.ts'
import { navigationPaths } from '../navigation/navigation.ts'
import type { Navigation } from '../navigation/outline.ts'
import { decode } from '../text/bytes.ts'
import { readFlatYaml } from '../text/flat-yaml.ts'
import type { Issue } from '../text/issues.ts'
import { entriesOf, readYaml, scalarText, type YamlEntry, type YamlFile } from '../text/yaml.ts'

/**
 * The content of `.gitbook.yaml`, with every path normalised and relative to the content directory.
 */
export type ContentConfig = {
  /** '' or a directory with a trailing slash. */
  root: string
  readme: string
  summary: string
  /**
   * `from` is an old URL path without outer slashes, `to` a file with an optional fragment, or a
   * URL.
   */
  redirects: { from: string; to: string }[]
  /**
   * The settings of another tool. Its list counts where the space has no table of contents; with
   * `groups`, pages have the addresses of their files in any case.
   */
  navigation?: Navigation
  /** The paths of settings of other tools, which are no files of the space. */
  settings?: readonly string[]
  /** The pages whose existence decides whether the list of `navigation` is taken, and its root. */
  decisive?: readonly string[]
  /** What the folders say about themselves, by path with its slash. */
  categories?: ReadonlyMap<string, Category>
}

/** The path of the settings, relative to the content directory. */
export const configPath = '.gitbook.yaml'

/** Reports whether a file of this path is read as settings of another tool. */
export const isToolSettings = (path: string): boolean =>
  navigationPaths.includes(path) || isCategory(path)

/**
 * Reports whether pages have the addresses of their files, as in another tool, wherever they are
 * listed.
 */
export const followsFiles = ({ navigation }: ContentConfig): boolean =>
  navigation?.groups !== undefined

const limit = 262_144

/**
 * Reads `.gitbook.yaml`; `bytes` is undefined if there is none. Never throws: a malformed file, a
 * duplicate or unknown key and a path outside the directory become issues, and the default or the
 * first value is used. `placesPages` says that the file names the place of the pages or of their
 * list, and not only redirects.
 */
export function readConfig(bytes: Uint8Array | undefined): {
  config: ContentConfig
  issues: Issue[]
  placesPages?: true
} {
  const config: ContentConfig = {
    root: '',
    readme: 'README.md',
    summary: 'SUMMARY.md',
    redirects: [],
  }
  if (!bytes) return { config, issues: [] }
  const { text, exact } = decode(bytes)
  const file = readSettings(text)
  if (!exact) file.issues.push({ message: 'The file is not valid UTF-8.' })

  const contents = file.document?.contents
  if (contents && !isMap(contents) && !isEmpty(contents))
    file.issues.push({ message: 'The file is not a map of settings; the defaults are used.' })

  const entries = new Map(entriesOf(contents, file).map(entry => [entry.key, entry]))

  for (const { key, line } of entries.values())
    if (!['root', 'structure', 'redirects'].includes(key))
      file.issues.push({
        message: `The key "${key.slice(0, 100)}" is unknown and ignored.`,
        line,
        kind: 'unknown-key',
      })

  const root = pathOf(entries.get('root'), '', file)
  if (root) config.root = `${root}/`

  const structure = new Map(mapOf(entries.get('structure'), file).map(entry => [entry.key, entry]))

  for (const { key, line } of structure.values())
    if (key !== 'readme' && key !== 'summary')
      file.issues.push({
        message: `The key "structure.${key.slice(0, 100)}" is unknown and ignored.`,
        line,
        kind: 'unknown-key',
      })

  config.readme = pathOf(structure.get('readme'), config.root, file) || `${config.root}README.md`
  config.summary = pathOf(structure.get('summary'), config.root, file) || `${config.root}SUMMARY.md`
  config.redirects = readRedirects(mapOf(entries.get('redirects'), file), config.root, file)

  const placesPages = ['root', 'structure'].some(key => entries.has(key))

  return { config, issues: file.issues, ...(placesPages && { placesPages }) }
}

/**
 * Returns the paths that settings may mean, the likeliest first: of the first page, and of the table
 * of contents.
 */
export const spellingsIn = ({ root, readme, summary }: ContentConfig): string[][] => [
  spellings(root, readme, readmeNames),
  spellings(root, summary, summaryNames),
]

/** Returns settings with the first page and the table of contents as their files are spelled. */
export function spelledAs(config: ContentConfig, has: (path: string) => boolean): ContentConfig {
  const [readmes = [], summaries = []] = spellingsIn(config)
  const readme = readmes.find(has) ?? config.readme
  const summary = summaries.find(has) ?? config.summary
  const isSame = readme === config.readme && summary === config.summary
  return isSame ? config : { ...config, readme, summary }
}

const spellings = (root: string, path: string, names: readonly string[]): string[] =>
  path === root + names[0] ? names.map(name => root + name) : [path]

const readSettings = (text: string): YamlFile =>
  (text.length <= limit && readFlatYaml(text)) || readYaml(text, limit)

/** Returns the entries of a setting that should be a map; null is an empty map. */
function mapOf(entry: YamlEntry | undefined, file: YamlFile): YamlEntry[] {
  if (!entry || isEmpty(entry.value)) return []
  if (!isMap(entry.value))
    file.issues.push({
      message: `"${entry.key}" should be a map and is ignored.`,
      line: entry.line,
    })
  return entriesOf(entry.value, file)
}

const isEmpty = (node: Node | null): boolean =>
  node === null || ('value' in node && (node.value === null || node.value === ''))

/**
 * Returns the path of a setting, relative to the content directory; undefined if it is not set or
 * invalid (an issue).
 */
function pathOf(entry: YamlEntry | undefined, base: string, file: YamlFile): string | undefined {
  if (!entry || isEmpty(entry.value)) return undefined
  const { key, line } = entry
  const text = scalarText(entry.value)

  // A leading slash means the root of the content, not of the file system.
  const path = text === undefined ? undefined : insidePath(base, text.trim().replace(/^\/+/, ''))

  if (text === undefined)
    file.issues.push({ message: `"${key}" should be a path; the default is used.`, line })
  else if (path === undefined)
    file.issues.push({
      message: `"${key}" is outside the content directory; the default is used.`,
      line,
    })

  return path
}

function readRedirects(
  entries: YamlEntry[],
  root: string,
  file: YamlFile,
): ContentConfig['redirects'] {
  const redirects = new Map<string, string>()
  for (const { key, value, line } of entries) {
    const from = insidePath('', key.trim())
    const target = scalarText(value)?.trim()
    const to = target ? redirectTarget(target, root) : undefined

    if (!from)
      file.issues.push({ message: `"${key.slice(0, 200)}" is not a path to redirect from.`, line })
    else if (!target)
      file.issues.push({ message: `The redirect of "${from.slice(0, 200)}" has no target.`, line })
    else if (to === undefined)
      file.issues.push({
        message: `The redirect of "${from.slice(0, 200)}" leads outside the content directory.`,
        line,
      })
    else if (redirects.has(from))
      file.issues.push({
        message: `"${from.slice(0, 200)}" is redirected twice; the first redirect counts.`,
        line,
      })
    else redirects.set(from, to)
  }

  return [...redirects].map(([from, to]) => ({ from, to }))
}

/** Returns the line, from 1, of each redirect of `.gitbook.yaml`, by its former path. */
export function redirectLines(bytes: Uint8Array | undefined): Map<string, number> {
  const file = readSettings(decode(bytes ?? new Uint8Array()).text)
  const redirects = entriesOf(file.document?.contents, file).find(({ key }) => key === 'redirects')
  const lines = new Map<string, number>()
  for (const { key, line } of mapOf(redirects, file)) {
    const from = insidePath('', key.trim())
    if (from !== undefined && !lines.has(from)) lines.set(from, line)
  }
  return lines
}

/** Reports whether the target of a redirect is a URL, which readers are not sent to. */
export const isUrl = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target)

/**
 * Returns the target of a redirect: a path relative to the content directory with its fragment, or
 * a URL unchanged.
 */
function redirectTarget(target: string, root: string): string | undefined {
  if (isUrl(target)) return target
  const hash = target.indexOf('#')
  const fragment = hash < 0 ? '' : target.slice(hash)
  const path = insidePath(root, (hash < 0 ? target : target.slice(0, hash)).replace(/^\/+/, ''))
  return path === undefined ? undefined : path + fragment
}
